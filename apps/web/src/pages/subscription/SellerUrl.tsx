import { useState } from "react";
import { UrlForm } from "./UrlForm";
import { useCheckoutSettings } from "./useCheckoutSettings";

export type SellerUrlProps = {
  /** The field of the settings that is edited. */
  field: "supportUrl" | "paymasterUrl";
  seller: `0x${string}`;
  label: string;
  hint: string;
  /** The stored URL; null where there is none, or where it is not known. */
  stored: string | null;
};

/** One URL in the seller's settings. An empty text removes it. Without a session the wallet signs in first. */
export function SellerUrl({ field, seller, label, hint, stored }: SellerUrlProps) {
  const change = useCheckoutSettings(seller);
  const [typed, setTyped] = useState<string | null>(null);
  const value = typed ?? stored ?? "";
  const save = () =>
    change.mutate((before) => ({ ...before, [field]: value === "" ? null : value }), {
      // A text that was typed while the request was under way stays.
      onSuccess: () => setTyped((now) => (now === value ? null : now)),
    });
  return (
    <UrlForm
      change={change}
      label={label}
      hint={hint}
      action={`Save ${label.toLowerCase()}`}
      value={value}
      isUnchanged={typed === null}
      onType={setTyped}
      onSubmit={save}
    />
  );
}
