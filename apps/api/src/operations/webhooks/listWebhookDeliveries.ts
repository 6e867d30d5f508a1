import { pagedListOf } from "@dueday/core/paging";
import { DeliveryState } from "@dueday/core/webhooks/webhook";
import { listDeliveries } from "@dueday/db/webhooks/changeDeliveries";
import { Type } from "@sinclair/typebox";
import { defineOperation, inPath, inQuery } from "../../operation/defineOperation";
import { first } from "../../operation/paging";
import { DeliveryId, DeliveryView, toDeliveryView } from "./delivery";
import { requireWebhook } from "./getWebhook";
import { WebhookId } from "./webhook";

export const listWebhookDeliveries = defineOperation({
  name: "list_webhook_deliveries",
  http: { method: "GET", path: "/webhooks/:id/deliveries" },
  summary: "Deliveries of a webhook, with the result of their last attempt",
  description:
    "Needs a developer key or portal session of the webhook's owner. Newest first; pass nextAfter as after for the next page. Deliveries are kept as long as events.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({
    id: inPath(WebhookId),
    state: inQuery(Type.Optional({ ...DeliveryState, description: "Only deliveries in this state" })),
    first,
    after: inQuery(Type.Optional({ ...DeliveryId, description: "nextAfter of the page before" })),
  }),
  output: Type.Object({
    deliveries: pagedListOf(DeliveryView),
    hasMore: Type.Boolean(),
    nextAfter: Type.Optional({ ...DeliveryId, description: "after of the next page" }),
  }),
  example: { id: "00000000-0000-4000-8000-000000000000", first: 10 },
  async handler(context, { id, state, first: wanted, after }) {
    const { id: webhookId } = await requireWebhook(context, id);
    const before = after === undefined ? undefined : Number(after);
    const found = await listDeliveries(context.database, { webhookId, first: wanted + 1, before, state });
    const deliveries = found.slice(0, wanted).map(toDeliveryView);
    const hasMore = found.length > wanted;
    const last = deliveries.at(-1);
    return { deliveries, hasMore, ...(hasMore && last !== undefined && { nextAfter: last.id }) };
  },
});
