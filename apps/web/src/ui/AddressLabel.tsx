import { type ExplorerPath, useExplorerUrl } from "../config/ChainContext";
import { useLabel } from "../config/labels";
import classes from "./AddressLabel.module.css";
import { CopyButton } from "./CopyButton";
import { ShortHex } from "./ShortHex";
import { shorten } from "./shorten";
import { cleanText } from "./UntrustedText";

export type AddressLabelProps = {
  /** An address, a transaction hash, or the id of a subscription. */
  value: string;
  /** Kind of its page in the block explorer. An id has no page there. */
  kind: "address" | "tx" | "id";
  /** Shows the whole value and not a shortened one. */
  whole?: boolean;
};

/**
 * An address, hash or id: shortened or replaced by the reader's own label, with the whole value in its title, a link to the explorer
 * where there is one, and a button that copies it.
 */
export function AddressLabel({ value, kind, whole = false }: AddressLabelProps) {
  const path: ExplorerPath | null = kind === "id" ? null : `${kind}/${value}`;
  const url = useExplorerUrl(path);
  const text = whole ? value : shorten(value);
  const hex = whole ? <code className={classes.whole}>{value}</code> : <ShortHex value={value} />;
  const label = cleanText(useLabel(value) ?? "");
  return (
    <span className={classes.label}>
      {whole && label !== "" && <bdi className={classes.own}>{label}</bdi>}
      {url === null ? (
        hex
      ) : (
        <a href={url} target="_blank" rel="noreferrer noopener">
          {hex}
        </a>
      )}
      <CopyButton text={value} label={`Copy ${text}`} />
    </span>
  );
}
