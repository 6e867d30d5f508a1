import { DuedayError } from "@dueday/sdk";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/Button";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { describeFailure } from "../../wallet/describeFailure";
import { FailureNotice } from "../../wallet/FailureNotice";
import classes from "./AllowedUrls.module.css";
import { type CheckoutSettings, useCheckoutSettings } from "./useCheckoutSettings";

export type AllowedUrlsProps = {
  /** The field of the settings that is edited. */
  field: "origins" | "returnUrls";
  seller: `0x${string}`;
  label: string;
  hint: string;
  action: string;
  /** Those that are stored; null where they are not known. */
  stored: readonly string[] | null;
  /** The stored form of what was typed; null for what is not a URL. */
  read(typed: string): string | null;
};

/** A list of URLs in the seller's settings: one is added by a form, each can be removed. Without a session the wallet signs in first. */
export function AllowedUrls({ field, seller, label, hint, action, stored, read }: AllowedUrlsProps) {
  const change = useCheckoutSettings(seller);
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const url = read(typed);
    setWrong(url === null);
    if (url === null) return;
    change.mutate(
      withList(field, (list) => [...new Set([...list, url])]),
      { onSuccess: () => setTyped("") },
    );
  };
  const remove = (url: string) => change.mutate(withList(field, (list) => list.filter((each) => each !== url)));
  const refused = DuedayError.is(change.error, "VALIDATION_ERROR") ? change.error.issues[0]?.message : undefined;
  const fault = isWrong ? "must be a whole address with https://" : refused;
  return (
    <Stack>
      <form onSubmit={submit} noValidate>
        <FormFields
          actions={
            <Button type="submit" disabled={change.isPending}>
              {change.isPending ? "Saving" : action}
            </Button>
          }
        >
          <FormField label={label} hint={hint} fault={fault && `${label} ${fault}. Correct it and try again.`} wide>
            {(input) => (
              <input
                {...input}
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                value={typed}
                onChange={({ target }) => setTyped(target.value.trim())}
              />
            )}
          </FormField>
        </FormFields>
      </form>
      {change.error !== null && refused === undefined && <FailureNotice failure={describeFailure(change.error)} />}
      {stored !== null && stored.length > 0 && (
        <ul className={classes.list} aria-label="Allowed">
          {stored.map((url) => (
            <li key={url}>
              <code>{url}</code>
              <Button kind="plain" disabled={change.isPending} aria-label={`Remove ${url}`} onClick={() => remove(url)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

function withList(field: AllowedUrlsProps["field"], edit: (list: readonly string[]) => string[]) {
  return (before: CheckoutSettings): CheckoutSettings => ({ ...before, [field]: edit(before[field]) });
}
