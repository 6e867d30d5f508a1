import { useState } from "react";
import { Button } from "../../ui/Button";
import classes from "./AllowedUrls.module.css";
import { UrlForm } from "./UrlForm";
import { type CheckoutSettings, useCheckoutSettings } from "./useCheckoutSettings";

export type AllowedUrlsProps = {
  /** The field of the settings that is edited. */
  field: "origins" | "returnUrls";
  seller: `0x${string}`;
  label: string;
  hint: string;
  action: string;
  /** The stored URLs; null where they are not known. */
  stored: readonly string[] | null;
  /** The typed text in the form in which it is stored; null where it is not a URL. */
  read(typed: string): string | null;
};

/** A list of URLs in the seller's settings: one is added by a form, each can be removed. Without a session the wallet signs in first. */
export function AllowedUrls({ field, seller, label, hint, action, stored, read }: AllowedUrlsProps) {
  const change = useCheckoutSettings(seller);
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const add = () => {
    const url = read(typed);
    setWrong(url === null);
    if (url === null) return;
    change.mutate(
      withList(field, (list) => [...new Set([...list, url])]),
      { onSuccess: () => setTyped("") },
    );
  };
  const remove = (url: string) => change.mutate(withList(field, (list) => list.filter((each) => each !== url)));
  return (
    <UrlForm
      change={change}
      label={label}
      hint={hint}
      action={action}
      value={typed}
      fault={isWrong ? "must be a whole address with https://" : undefined}
      onType={setTyped}
      onSubmit={add}
    >
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
    </UrlForm>
  );
}

function withList(field: AllowedUrlsProps["field"], edit: (list: readonly string[]) => string[]) {
  return (before: CheckoutSettings): CheckoutSettings => ({ ...before, [field]: edit(before[field]) });
}
