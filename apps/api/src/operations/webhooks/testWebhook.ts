import { TEST_TYPE } from "@dueday/core/webhooks/webhook";
import { addTestDelivery } from "@dueday/db/webhooks/changeDeliveries";
import { Type } from "@sinclair/typebox";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { DeliveryView, toDeliveryView } from "./delivery";
import { requireConfirmed } from "./getWebhook";
import { WebhookId } from "./webhook";

export const testWebhook = defineOperation({
  name: "test_webhook",
  http: { method: "POST", path: "/webhooks/:id/test" },
  summary: "Send a test to a webhook",
  description:
    "Needs a developer key or portal session of the webhook's owner. Sends a signed request whose type is webhook.test within a second or two, once, also while " +
    "the webhook is disabled. Its result is the first entry of GET /webhooks/:id/deliveries. It changes neither failingSince nor enabled.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "NOT_FOUND", "CHALLENGE_REQUIRED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ id: inPath(WebhookId) }),
  output: DeliveryView,
  example: { id: "00000000-0000-4000-8000-000000000000" },
  statuses: [202],
  async handler(context, { id }) {
    const { id: webhookId } = await requireConfirmed(context, id);
    const eventId = `evt_${crypto.randomUUID().replaceAll("-", "")}`;
    const test = { webhookId, eventId, type: TEST_TYPE };
    return toDeliveryView(await addTestDelivery(context.database, test, new Date(context.clock())));
  },
});
