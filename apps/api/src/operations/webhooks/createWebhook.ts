import { ServiceError } from "@dueday/core/errors";
import { createWebhook as storeWebhook } from "@dueday/db/webhooks/storeWebhook";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import {
  checkUrl,
  Description,
  Filter,
  filterColumns,
  requireWebhooks,
  Secret,
  Types,
  toWebhookView,
  WEBHOOKS_LIMIT,
  WebhookUrl,
  WebhookView,
} from "./webhook";

export const createWebhook = defineOperation({
  name: "create_webhook",
  http: { method: "POST", path: "/webhooks" },
  summary: "Create a webhook: events of the chain are sent to a URL, signed; its secret is shown this once",
  description:
    "Needs a developer key or a portal session; its subject owns the webhook. It is enabled when its URL has answered POST /webhooks/:id/challenge; then events " +
    "from its creation on are sent as POST requests, signed by the Standard Webhooks specification. Verify each with the secret, answer 2xx within 15 s, and ignore a webhook-id that was handled before.",
  chainScoped: true,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "URL_REFUSED", "MAX_WEBHOOKS", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({
    url: inBody(WebhookUrl),
    types: inBody(Type.Optional(Types)),
    filter: inBody(Type.Optional(Filter)),
    description: inBody(Type.Optional(Description)),
  }),
  output: Type.Object({ ...WebhookView.properties, secret: Secret }),
  example: { url: "https://93.184.216.34/hooks/dueday", types: ["payment.paid", "payment.failed"] },
  statuses: [201],
  async handler(context, { url, types = null, filter = {}, description = null }) {
    const webhooks = requireWebhooks(context);
    const { chainId, contract } = context.chain.config;
    const { subjectId } = webhooks;
    await context.counters.webhookCreation();
    await checkUrl(url, webhooks);
    const id = crypto.randomUUID();
    const secret = createSecret();
    const stored = await storeWebhook(
      context.database,
      {
        id,
        chainId,
        contract,
        subjectId,
        url,
        types,
        description,
        ...filterColumns(filter),
        secret: webhooks.box.seal(secret, id),
      },
      { maximum: WEBHOOKS_LIMIT, now: new Date(context.clock()) },
    );
    if (stored === null) throw tooManyWebhooks();
    return { ...toWebhookView(stored), secret };
  },
});

const SECRET_BYTES = 32;

/** A signing secret in the form of the Standard Webhooks specification. */
export function createSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64")}`;
}

function tooManyWebhooks(): ServiceError {
  const message = `You have ${WEBHOOKS_LIMIT} webhooks, the maximum: delete one first, or use one for several types`;
  return new ServiceError("MAX_WEBHOOKS", message);
}
