import { CHALLENGE_WINDOW_MS, MOST_CHALLENGES } from "@dueday/core/webhooks/webhook";
import { addChallenge } from "@dueday/db/webhooks/changeDeliveries";
import { Type } from "@sinclair/typebox";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { DeliveryView, toDeliveryView } from "./delivery";
import { requireWebhook } from "./getWebhook";
import { WebhookId } from "./webhook";

export const challengeWebhook = defineOperation({
  name: "challenge_webhook",
  http: { method: "POST", path: "/webhooks/:id/challenge" },
  summary: "Send a webhook the challenge whose answer enables it",
  description:
    "Needs a developer key or portal session of the webhook's owner. Sends a signed request whose type is webhook.challenge, once; store the secret in the " +
    "receiver first. The webhook is enabled if the status is 200 to 299 and the whole body of the answer is data.challenge. The result is the " +
    `first entry of GET /webhooks/:id/deliveries. At most ${MOST_CHALLENGES} in 24 hours.`,
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ id: inPath(WebhookId) }),
  output: DeliveryView,
  example: { id: "00000000-0000-4000-8000-000000000000" },
  statuses: [202],
  async handler(context, { id }) {
    const { id: webhookId } = await requireWebhook(context, id);
    const eventId = `evt_${crypto.randomUUID().replaceAll("-", "")}`;
    const now = new Date(context.clock());
    const rules = { most: MOST_CHALLENGES, windowMs: CHALLENGE_WINDOW_MS, now };
    const { resetAt, ...added } = await addChallenge(context.database, { webhookId, eventId }, rules);
    const resetMs = resetAt.getTime() - now.getTime();
    return toDeliveryView(await context.counters.webhookChallenge(webhookId, { ...added, resetMs }));
  },
});
