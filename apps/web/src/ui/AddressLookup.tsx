import { isHexOf } from "../format/isHexOf";
import { LookupForm, type LookupFormProps } from "./LookupForm";

/** Opens a page, or a part of one, about an address. */
export function AddressLookup({ label, action, onOpen }: Pick<LookupFormProps, "label" | "action" | "onOpen">) {
  return (
    <LookupForm
      label={label}
      action={action}
      isValid={(text) => isHexOf(20, text)}
      hint="an address: 0x followed by 40 hex digits"
      onOpen={onOpen}
    />
  );
}
