import { useState } from "react";
import { useInstallation } from "../config/ChainContext";
import { Button } from "./Button";

export type CsvButtonProps = {
  /** Of a list of the API. */
  path: string;
  /** Its filters. */
  query: Readonly<Record<string, string | undefined>>;
  /** Of the file, without its ending. */
  name: string;
};

/** Saves a list of the API as a CSV file: the whole list as far as the service sends it, not only what the page shows. */
export function CsvButton({ path, query, name }: CsvButtonProps) {
  const { chainId } = useInstallation().chain;
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const save = async () => {
    setState("loading");
    try {
      const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
      const search = new URLSearchParams([["chainId", String(chainId)], ...given]);
      const response = await fetch(`${path}?${search}`, { headers: { Accept: "text/csv" } });
      if (!response.ok) throw new Error(`the service answers ${response.status}`);
      saveFile(await response.blob(), `${name}.csv`);
      setState("idle");
    } catch {
      setState("failed");
    }
  };
  return (
    <>
      <Button disabled={state === "loading"} onClick={() => void save()}>
        {state === "loading" ? "Loading" : "Save as CSV"}
      </Button>
      <span role="status">{state === "failed" ? "It could not be loaded: try again in a minute." : ""}</span>
    </>
  );
}

function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
