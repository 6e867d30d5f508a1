import { PageHeader } from "../ui/PageHeader";
import { Stack } from "../ui/Stack";
import { cleanText } from "../ui/UntrustedText";
import { Notice } from "./Notice";

const SHOWN_CHARACTERS = 80;

export type NotHexProps = {
  /** Title of the page. */
  title: string;
  /** The text in the page's address where the value should be. */
  text: string;
  kind: "an address" | "the id of a subscription";
};

const forms = { "an address": 40, "the id of a subscription": 64 } as const;

/** A page whose address does not contain a valid address or id. It sends no request and offers no retry, which would change nothing. */
export function NotHex({ title, text, kind }: NotHexProps) {
  return (
    <Stack>
      <PageHeader title={title} />
      <Notice tone="bad" title={`“${cleanText(text, SHOWN_CHARACTERS)}” is not ${kind}`} urgent>
        It must be 0x followed by {forms[kind]} hex digits. Correct it in the address of this page.
      </Notice>
    </Stack>
  );
}
