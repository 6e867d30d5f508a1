import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { formatInstant } from "../../format/formatDate";
import { usePortalAction } from "../../portal/usePortalAction";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { ErrorState } from "../../states/ErrorState";
import { type Column, DataTable } from "../../tables/DataTable";
import { Badge, type Tone } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { UntrustedText } from "../../ui/UntrustedText";

type Delivery = Operations["listWebhookDeliveries"]["output"]["deliveries"][number];

/** A challenge is sent once, so it has no button to send it again. */
const CHALLENGE = "webhook.challenge";
const SHOWN = 20;
/** Deliveries are not events of the chain, so no stream announces them. */
const RENEW_MS = 2_000;
const RESPONSE_CHARACTERS = 60;

const TONES: Partial<Record<Delivery["state"], Tone>> = { delivered: "good", failed: "bad", pending: "accent" };

/** The latest deliveries of a webhook. Each but a challenge can be sent again. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const page = useDuedayQuery("listWebhookDeliveries", { id: webhookId, first: SHOWN }, { refetchInterval: RENEW_MS });
  const redeliver = usePortalAction("redeliverWebhook", "listWebhookDeliveries");
  const send = (deliveryId: string) => redeliver.mutate({ id: webhookId, deliveryId });
  return (
    <>
      {redeliver.error !== null && <ErrorState error={redeliver.error} title="Not sent again" />}
      <Answer query={page} label="the deliveries" lines={3}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty title="Nothing has been sent yet">Send a test, or wait for an event of the chain.</Empty>
          ) : (
            <DataTable label="Deliveries" columns={columnsOf(send)} rows={deliveries} rowKey={({ id }) => id} />
          )
        }
      </Answer>
    </>
  );
}

function columnsOf(onRedeliver: (deliveryId: string) => void): readonly Column<Delivery>[] {
  return [
    { key: "type", header: "Event", cell: ({ type }) => <code>{type}</code> },
    { key: "state", header: "State", cell: ({ state }) => <Badge tone={TONES[state] ?? "neutral"}>{state}</Badge> },
    { key: "attempts", header: "Attempts", align: "end", cell: ({ attempts }) => attempts },
    {
      key: "last",
      header: "Last attempt",
      cell: ({ lastAttemptAt }) => (lastAttemptAt === null ? "—" : formatInstant(lastAttemptAt)),
    },
    { key: "result", header: "Result", cell: (delivery) => <Result delivery={delivery} /> },
    {
      key: "redeliver",
      header: "Actions",
      actions: true,
      cell: ({ id, type }) =>
        type === CHALLENGE ? null : (
          <Button aria-label={`Send again: ${type}`} onClick={() => onRedeliver(id)}>
            Send again
          </Button>
        ),
    },
  ];
}

/** The endpoint's text is as untrusted as text from the chain. */
function Result({ delivery: { response, failure } }: { delivery: Delivery }) {
  if (response !== null)
    return (
      <>
        {response.status} <UntrustedText text={response.body} most={RESPONSE_CHARACTERS} />
      </>
    );
  return failure === null ? "—" : failure.message;
}
