import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { type FormEvent, useId, useState } from "react";
import { latestErrorOf } from "../../portal/latestErrorOf";
import { usePortalAction } from "../../portal/usePortalAction";
import { Answer } from "../../states/Answer";
import { ErrorState } from "../../states/ErrorState";
import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { ConfirmButton } from "../../ui/ConfirmButton";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import classes from "./My.module.css";
import { DEFAULT_KINDS, PAYER_KINDS, type ReminderKind, SELLER_KINDS } from "./reminderKinds";

type Reminders = Operations["getPortalReminders"]["output"];

/** The mailbox of the account that is signed in: entering it, what is mailed, its state, and deleting it. */
export function MailboxForm() {
  const query = useDuedayQuery("getPortalReminders", {});
  return (
    <Answer query={query} label="your reminders" lines={6}>
      {(reminders) => (
        // The form begins with the stored settings, and again when they change.
        <Form key={JSON.stringify(reminders)} reminders={reminders} onLook={() => void query.refetch()} />
      )}
    </Answer>
  );
}

function Form({ reminders, onLook }: { reminders: Reminders; onLook(): void }) {
  const { mailbox: stored, kinds: storedKinds } = reminders;
  const save = usePortalAction("setPortalReminders", "getPortalReminders");
  const remove = usePortalAction("deletePortalReminders", "getPortalReminders");
  const [mailbox, setMailbox] = useState(stored ?? "");
  const [kinds, setKinds] = useState<readonly ReminderKind[]>(stored === null ? DEFAULT_KINDS : storedKinds);
  const isBusy = save.isPending || remove.isPending;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ mailbox, kinds });
  };
  const toggle = (kind: ReminderKind) =>
    setKinds(kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind]);
  const error = latestErrorOf(save, remove);
  return (
    <Stack>
      <State reminders={reminders} onLook={onLook} />
      <form onSubmit={submit}>
        <Stack>
          <FormFields>
            <FormField
              label="Mailbox"
              hint={stored === null ? "It first receives a link. Nothing else is sent until you confirm." : undefined}
              wide
            >
              {(input) => (
                <input
                  {...input}
                  type="email"
                  autoComplete="email"
                  maxLength={254}
                  required
                  value={mailbox}
                  onChange={({ target }) => setMailbox(target.value.trim())}
                />
              )}
            </FormField>
          </FormFields>
          <Kinds legend="What I pay" names={PAYER_KINDS} chosen={kinds} onToggle={toggle} />
          <Kinds legend="What I sell" names={SELLER_KINDS} chosen={kinds} onToggle={toggle} />
          <div className={classes.buttons}>
            <Button kind="primary" type="submit" disabled={isBusy}>
              {stored === null ? "Remind me" : "Save"}
            </Button>
            {stored !== null && (
              <ConfirmButton
                label="Delete the mailbox"
                question="No more mails are sent."
                disabled={isBusy}
                onConfirm={() => remove.mutate({})}
              />
            )}
          </div>
        </Stack>
      </form>
      {error !== null && <ErrorState error={error} title="Your reminders were not changed" />}
    </Stack>
  );
}

function State({ reminders: { mailbox, confirmed }, onLook }: { reminders: Reminders; onLook(): void }) {
  if (mailbox === null) return null;
  if (confirmed) return <Notice tone="good" title={`Confirmed: reminders go to ${mailbox}`} />;
  return (
    <Notice tone="warn" title="Waiting for your confirmation" action={<Button onClick={onLook}>Look again</Button>}>
      Open the link in the mail to {mailbox} within 24 hours. Nothing else is sent before. A mailbox gets one such mail
      a day: if it has not arrived, look among unwanted mails, or save again tomorrow.
    </Notice>
  );
}

type KindsProps = {
  legend: string;
  names: Readonly<Partial<Record<ReminderKind, string>>>;
  chosen: readonly ReminderKind[];
  onToggle(kind: ReminderKind): void;
};

function Kinds({ legend, names, chosen, onToggle }: KindsProps) {
  const id = useId();
  return (
    <fieldset className={classes.kinds}>
      <legend>{legend}</legend>
      {Object.entries(names).map(([key, name]) => {
        const kind = key as ReminderKind; // a key of `names`
        return (
          <label key={kind} htmlFor={`${id}-${kind}`} className={classes.choice}>
            <input
              id={`${id}-${kind}`}
              type="checkbox"
              checked={chosen.includes(kind)}
              onChange={() => onToggle(kind)}
            />
            <span>{name}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
