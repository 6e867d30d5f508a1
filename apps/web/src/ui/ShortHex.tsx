import { useLabel } from "../config/labels";
import classes from "./ShortHex.module.css";
import { shorten } from "./shorten";
import { cleanText } from "./UntrustedText";

/** An address, hash or id: shortened, or by the reader's own label, with the whole in its title. On paper, which has no titles, it is whole. */
export function ShortHex({ value }: { value: string }) {
  const label = cleanText(useLabel(value) ?? "");
  return (
    <code className={classes.short} title={label === "" ? value : `${label}: ${value}`} data-hex={value}>
      {label === "" ? shorten(value) : <bdi className={classes.label}>{label}</bdi>}
    </code>
  );
}
