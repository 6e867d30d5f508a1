import classes from "./ShortHex.module.css";
import { shorten } from "./shorten";

/** An address, hash or id: shortened, with the whole in its title. On paper, which has no titles, it is whole. */
export function ShortHex({ value }: { value: string }) {
  return (
    <code className={classes.short} title={value}>
      {shorten(value)}
    </code>
  );
}
