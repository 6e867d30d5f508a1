import { DuedayError } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Notice } from "../../states/Notice";
import { Card } from "../../ui/Card";
import { Inset } from "../../ui/Inset";
import { WebhookForm } from "./WebhookForm";
import { WebhookPart } from "./WebhookPart";

/** An endpoint answers its challenge at any time, and no event announces it. */
const RENEW_MS = 3_000;

/** The account's webhooks: creating one, and each with its deliveries. */
export function WebhooksCard() {
  const webhooks = useDuedayQuery("listWebhooks", {});
  const isWaiting = webhooks.data?.webhooks.some(({ confirmedAt }) => confirmedAt === null) ?? false;
  // A second query of the same answer: it polls while an endpoint has not answered its challenge.
  useDuedayQuery("listWebhooks", {}, { refetchInterval: isWaiting && RENEW_MS });
  const isClosed = DuedayError.is(webhooks.error, "WEBHOOKS_DISABLED");
  return (
    <Card flush title="Webhooks" note="Events of this chain, sent to a URL of yours and signed (Standard Webhooks).">
      {isClosed ? (
        <Inset>
          <Notice tone="neutral" title="Webhooks are switched off">
            {webhooks.error?.message}
          </Notice>
        </Inset>
      ) : (
        <>
          <WebhookForm />
          <Answer query={webhooks} label="your webhooks" lines={3}>
            {(answer) =>
              answer.webhooks.length === 0 ? (
                <Empty title="You have no webhooks">
                  Add the URL of your receiver above, then send it the challenge.
                </Empty>
              ) : (
                answer.webhooks.map((webhook) => <WebhookPart key={webhook.id} webhook={webhook} />)
              )
            }
          </Answer>
        </>
      )}
    </Card>
  );
}
