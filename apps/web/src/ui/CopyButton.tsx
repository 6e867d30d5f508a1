import { useEffect, useState } from "react";
import classes from "./CopyButton.module.css";

const SHOWN_MS = 1_600;

/** Copies a text; then confirms it for a moment. Absent where the browser offers no clipboard, as on plain http. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [result, setResult] = useState<"copied" | "refused" | null>(null);
  useEffect(() => {
    if (result === null) return;
    const timer = setTimeout(() => setResult(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  if (navigator.clipboard === undefined) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult("copied"),
      () => setResult("refused"),
    );
  return (
    <button type="button" className={classes.copy} aria-label={label} title={label} onClick={() => void copy()}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" className={classes.icon}>
        {result === "copied" ? <path d="m3 8.5 3.2 3L13 4.5" /> : <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z" />}
      </svg>
      <span role="status" className={classes.result}>
        {result === "copied" ? "Copied" : result === "refused" ? "The browser refused to copy" : ""}
      </span>
    </button>
  );
}
