import { LABEL_CHARACTERS, type Labels, MOST_LABELS } from "../config/labels";
import { isHexOf } from "../format/isHexOf";
import { cleanText } from "../ui/UntrustedText";

export type LabelFaults = { address?: string; text?: string };

/** Why a label can't be stored, by field. `text` is judged as it will be stored: cleaned. */
export function labelFaults(labels: Labels, { address, text }: { address: string; text: string }): LabelFaults {
  const length = [...cleanText(text)].length;
  return {
    ...(!isHexOf(20, address) && { address: "must be an address: 0x followed by 40 hex digits" }),
    ...(length === 0 && { text: "must have a character that can be seen" }),
    ...(length > LABEL_CHARACTERS && {
      text: `must have at most ${LABEL_CHARACTERS} characters; it has ${length}`,
    }),
    ...(labels.size >= MOST_LABELS &&
      !labels.has(address.toLowerCase()) && {
        address: `this browser has ${MOST_LABELS} labels, which is the most: remove one first`,
      }),
  };
}
