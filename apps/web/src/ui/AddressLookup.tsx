import { LookupForm, type LookupFormProps } from "./LookupForm";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Opens a page, or a part of one, about an address. */
export function AddressLookup({ label, action, onOpen }: Pick<LookupFormProps, "label" | "action" | "onOpen">) {
  return (
    <LookupForm
      label={label}
      action={action}
      pattern={ADDRESS}
      hint="an address: 0x followed by 40 hex digits"
      onOpen={onOpen}
    />
  );
}
