import { DuedayError } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { type FormEvent, useState } from "react";
import { usePortalAction } from "../../portal/usePortalAction";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { ErrorState } from "../../states/ErrorState";
import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Field } from "../../ui/Field";
import { Inset } from "../../ui/Inset";
import classes from "./Developers.module.css";
import { SecretOnce } from "./SecretOnce";
import { WebhookPart } from "./WebhookPart";

/** An endpoint answers its challenge at any time, and no event announces it. */
const RENEW_MS = 3_000;

/** The account's webhooks: creating one, and each with its deliveries. */
export function WebhooksCard() {
  const webhooks = useDuedayQuery("listWebhooks", {});
  const isWaiting = webhooks.data?.webhooks.some(({ confirmedAt }) => confirmedAt === null) ?? false;
  // A second reader of the same answer: while an endpoint has not answered its challenge, it asks again at an interval.
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
          <CreateForm />
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

function CreateForm() {
  const create = usePortalAction("createWebhook", "listWebhooks");
  const [url, setUrl] = useState("");
  const [types, setTypes] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = types.split(/[\s,]+/).filter((type) => type !== "");
    // The service rejects a text that is not the name of a type, and lists the names.
    const chosen = wanted.length === 0 ? {} : { types: wanted as NonNullable<typeof create.variables>["types"] };
    create.mutate({ url, ...chosen }, { onSuccess: () => setUrl("") });
  };
  return (
    <Inset>
      <form className={classes.form} onSubmit={submit}>
        <Field
          label="URL of a new webhook"
          type="url"
          required
          placeholder="https://example.com/hooks/dueday"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <Field
          label="Event types"
          placeholder="all, or payment.paid, payment.failed"
          value={types}
          onChange={({ target }) => setTypes(target.value)}
        />
        {/* A second webhook's secret would take the place of the first one, which is shown this once. */}
        <Button kind="primary" type="submit" disabled={create.isPending || create.data !== undefined}>
          Add webhook
        </Button>
      </form>
      {create.data !== undefined && (
        <SecretOnce title="The signing secret" label="the secret" text={create.data.secret} onClose={create.reset} />
      )}
      {create.error !== null && <ErrorState error={create.error} title="The webhook was not added" />}
    </Inset>
  );
}
