import { Notice } from "../../states/Notice";
import { ShortHex } from "../../ui/ShortHex";

/** The page is about another account than the connected one. */
export function OtherAccount({ account, connected }: { account: string; connected: string }) {
  return (
    <Notice tone="neutral" title="This is another account than that of your wallet">
      <p>
        Only <ShortHex value={account} /> can change what it pays. Your wallet has <ShortHex value={connected} />{" "}
        selected.
      </p>
    </Notice>
  );
}
