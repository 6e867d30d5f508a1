import { ServiceError } from "@dueday/core/errors";
import { redeliver } from "@dueday/db/webhooks/changeDeliveries";
import { Type } from "@sinclair/typebox";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { DeliveryId, DeliveryView, toDeliveryView } from "./delivery";
import { requireConfirmed } from "./getWebhook";
import { WebhookId } from "./webhook";

export const redeliverWebhook = defineOperation({
  name: "redeliver_webhook",
  http: { method: "POST", path: "/webhooks/:id/deliveries/:deliveryId/redeliver" },
  summary: "Send a delivery again",
  description:
    "Needs a developer key or portal session of the webhook's owner. Sends the same event with the same webhook-id at once, also while the webhook is disabled; " +
    "while it is enabled and the attempt fails, the retries begin again.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "NOT_FOUND", "CHALLENGE_REQUIRED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ id: inPath(WebhookId), deliveryId: inPath(DeliveryId) }),
  output: DeliveryView,
  example: { id: "00000000-0000-4000-8000-000000000000", deliveryId: "17" },
  statuses: [202],
  async handler(context, { id, deliveryId }) {
    const { subjectId } = await requireConfirmed(context, id);
    const wanted = { id, subjectId, deliveryId: Number(deliveryId) };
    const delivery = await redeliver(context.database, wanted, new Date(context.clock()));
    if (delivery === null)
      throw new ServiceError(
        "NOT_FOUND",
        "The webhook has no delivery with this id that can be sent again: deliveries are kept as long as events, and a challenge is sent once",
      );
    return toDeliveryView(delivery);
  },
});
