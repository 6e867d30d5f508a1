import { useState } from "react";
import { Button } from "./Button";

export type CsvButtonProps = {
  /** Reads the text of the file. */
  read(): Promise<string>;
  /** Name of the file, without its ending. */
  name: string;
  /** Default: "Save as CSV". */
  label?: string;
};

/** Saves what `read` returns as a CSV file. */
export function CsvButton({ read, name, label = "Save as CSV" }: CsvButtonProps) {
  const [state, setState] = useState<"idle" | "loading" | { fault: string }>("idle");
  const save = async () => {
    setState("loading");
    try {
      saveFile(await read(), `${name}.csv`);
      setState("idle");
    } catch (error) {
      setState({ fault: error instanceof Error ? error.message : "try again" });
    }
  };
  return (
    <span>
      <Button disabled={state === "loading"} onClick={() => void save()}>
        {state === "loading" ? "Loading" : label}
      </Button>{" "}
      <span role="status">{typeof state === "object" ? `The file could not be made: ${state.fault}` : ""}</span>
    </span>
  );
}

function saveFile(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
