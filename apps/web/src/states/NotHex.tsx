import { PageHeader } from "../ui/PageHeader";
import { Stack } from "../ui/Stack";
import { cleanText } from "../ui/UntrustedText";
import { Notice } from "./Notice";

const SHOWN_CHARACTERS = 80;

export type NotHexProps = {
  /** Of the page. */
  title: string;
  /** What stands in its address instead of the value. */
  text: string;
  kind: "an address" | "the id of a subscription";
};

const forms = { "an address": 40, "the id of a subscription": 64 } as const;

/** A page whose address has no value that it could be about: nothing is asked of the service for it, and a retry would change nothing. */
export function NotHex({ title, text, kind }: NotHexProps) {
  return (
    <Stack>
      <PageHeader title={title} />
      <Notice tone="bad" title={`“${cleanText(text).slice(0, SHOWN_CHARACTERS)}” is not ${kind}`} urgent>
        It must be 0x followed by {forms[kind]} hex digits. Correct it in the address of this page.
      </Notice>
    </Stack>
  );
}
