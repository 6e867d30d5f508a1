import type { Operations } from "@dueday/sdk";
import { renewQueries, useDueday } from "@dueday/sdk/react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { latestErrorOf } from "../../portal/latestErrorOf";
import { usePortalAction } from "../../portal/usePortalAction";
import { ErrorState } from "../../states/ErrorState";
import { AddressLabel } from "../../ui/AddressLabel";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { ConfirmButton } from "../../ui/ConfirmButton";
import { Deliveries } from "./Deliveries";
import classes from "./Developers.module.css";
import { eventTypeNames } from "./eventTypeNames";
import { replayKept } from "./replayKept";
import { SecretOnce } from "./SecretOnce";

export type Webhook = Operations["listWebhooks"]["output"]["webhooks"][number];

/** One webhook: its state, what can be done with it, and its deliveries. */
export function WebhookPart({ webhook }: { webhook: Webhook }) {
  const { id, url, types, filter, enabled, disabledReason, confirmedAt } = webhook;
  const { dueday } = useDueday();
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const challenge = usePortalAction("challengeWebhook", "listWebhookDeliveries");
  const test = usePortalAction("testWebhook", "listWebhookDeliveries");
  const rotate = usePortalAction("rotateWebhookSecret", "listWebhooks");
  const replay = useMutation({
    mutationFn: () => replayKept(dueday, webhook),
    onSuccess: () => renewQueries(queryClient, ["listWebhookDeliveries"]),
  });
  const update = usePortalAction("updateWebhook", "listWebhooks");
  const remove = usePortalAction("deleteWebhook", "listWebhooks");
  const actions = [challenge, test, rotate, replay, update, remove];
  const error = latestErrorOf(...actions);
  const isPending = actions.some((action) => action.isPending);
  return (
    <section className={classes.webhook} aria-label={`Webhook to ${url}`}>
      <div className={classes.actions}>
        <span className={classes.url}>{url}</span>
        {enabled ? <Badge tone="good">enabled</Badge> : <Badge tone="warn">{stateOf(disabledReason)}</Badge>}
      </div>
      <p className={classes.muted}>
        {types === null ? "All event types" : types.map((type) => eventTypeNames[type]).join(", ")}
        {Object.entries(filter).map(([key, value]) => (
          <span key={key}>
            ; {filterNames[key] ?? key} <AddressLabel kind="id" value={value} />
          </span>
        ))}
      </p>
      {confirmedAt === null && (
        <p className={classes.muted}>
          Nothing is sent to this URL before it answers a challenge. Store the secret in your receiver, then send the
          challenge: the whole answer has to be data.challenge (answerChallenge in @dueday/sdk/webhooks).
        </p>
      )}
      <div className={classes.actions}>
        {confirmedAt === null ? (
          <Button
            kind="primary"
            disabled={isPending}
            onClick={() => challenge.mutate({ id }, { onSuccess: () => setOpen(true) })}
          >
            Send the challenge
          </Button>
        ) : (
          <Button disabled={isPending} onClick={() => test.mutate({ id }, { onSuccess: () => setOpen(true) })}>
            Send a test
          </Button>
        )}
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Deliveries
        </Button>
        {confirmedAt !== null && (
          <>
            <Button disabled={isPending} onClick={() => replay.mutate(undefined, { onSuccess: () => setOpen(true) })}>
              Replay all events
            </Button>
            <Button disabled={isPending} onClick={() => update.mutate({ id, enabled: !enabled })}>
              {enabled ? "Disable" : "Enable"}
            </Button>
          </>
        )}
        <ConfirmButton
          label="Rotate secret"
          question="For 24 hours, deliveries are signed with both secrets."
          disabled={isPending}
          onConfirm={() => rotate.mutate({ id })}
        />
        <ConfirmButton
          label="Delete"
          question="Its deliveries are deleted too."
          disabled={isPending}
          onConfirm={() => remove.mutate({ id })}
        />
      </div>
      {rotate.data !== undefined && (
        <SecretOnce
          title="The new signing secret"
          label="the secret"
          text={rotate.data.secret}
          onClose={rotate.reset}
        />
      )}
      {error !== null && <ErrorState error={error} title="The webhook was not changed" />}
      {isOpen && (
        <div className={classes.wide}>
          <Deliveries webhookId={id} />
        </div>
      )}
    </section>
  );
}

const filterNames: Readonly<Record<string, string>> = {
  provider: "provider",
  subscription: "plan",
  subscriber: "subscriber",
};

function stateOf(reason: Webhook["disabledReason"]): string {
  if (reason === "challenge") return "waiting for its challenge";
  return reason === null ? "disabled" : `disabled: ${reason}`;
}
