import { DuedayError } from "@dueday/sdk";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/Button";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { describeFailure } from "../../wallet/describeFailure";
import { FailureNotice } from "../../wallet/FailureNotice";
import { useCheckoutSettings } from "./useCheckoutSettings";

export type SellerUrlProps = {
  /** The field of the settings that is edited. */
  field: "supportUrl" | "paymasterUrl";
  seller: `0x${string}`;
  label: string;
  hint: string;
  /** What is stored; null where it is unknown, or nothing is. */
  stored: string | null;
};

/** One URL in the seller's settings. Empty removes it. Without a session the wallet signs in first. */
export function SellerUrl({ field, seller, label, hint, stored }: SellerUrlProps) {
  const change = useCheckoutSettings(seller);
  const [typed, setTyped] = useState<string | null>(null);
  const value = typed ?? stored ?? "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate((before) => ({ ...before, [field]: value === "" ? null : value }), {
      // What was typed while it was saved stays.
      onSuccess: () => setTyped((now) => (now === value ? null : now)),
    });
  };
  const refused = DuedayError.is(change.error, "VALIDATION_ERROR") ? change.error.issues[0]?.message : undefined;
  return (
    <Stack>
      <form onSubmit={submit} noValidate>
        <FormFields
          actions={
            <Button type="submit" disabled={change.isPending || typed === null}>
              {change.isPending ? "Saving" : `Save ${label.toLowerCase()}`}
            </Button>
          }
        >
          <FormField label={label} hint={hint} fault={refused && `${label} ${refused}. Correct it and try again.`} wide>
            {(input) => (
              <input
                {...input}
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                value={value}
                onChange={({ target }) => setTyped(target.value.trim())}
              />
            )}
          </FormField>
        </FormFields>
      </form>
      {change.error !== null && refused === undefined && <FailureNotice failure={describeFailure(change.error)} />}
    </Stack>
  );
}
