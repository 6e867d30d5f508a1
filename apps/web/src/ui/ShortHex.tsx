import { useLabel } from "../config/labels";
import classes from "./ShortHex.module.css";
import { shorten } from "./shorten";
import { cleanText } from "./UntrustedText";

/** An address, hash or id: shortened or replaced by the reader's own label, with the whole value in its title. On paper the whole value is shown. */
export function ShortHex({ value }: { value: string }) {
  const label = cleanText(useLabel(value) ?? "");
  return (
    <code className={classes.short} title={label === "" ? value : `${label}: ${value}`} data-hex={value}>
      {label === "" ? shorten(value) : <bdi className={classes.label}>{label}</bdi>}
    </code>
  );
}
