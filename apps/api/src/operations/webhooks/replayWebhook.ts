import { Count } from "@dueday/core/schema";
import { replayWebhook as replay } from "@dueday/db/webhooks/changeDeliveries";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody, inPath } from "../../operation/defineOperation";
import { eventsGone } from "../events/listEvents";
import { requireConfirmed } from "./getWebhook";
import { WebhookId } from "./webhook";

export const replayWebhook = defineOperation({
  name: "replay_webhook",
  http: { method: "POST", path: "/webhooks/:id/replay" },
  summary: "Send a webhook all of its events after a seq, again or for the first time",
  description:
    "Needs a developer key or portal session of the webhook's owner. Events that its types and filter pass are sent in order, each with the webhook-id it had " +
    "before. Their pending deliveries are replaced; with the last seq as after, all pending events are skipped. At most 20 replays a day for a webhook.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: [
    "LANE_REQUIRED",
    "WEBHOOKS_DISABLED",
    "NOT_FOUND",
    "CHALLENGE_REQUIRED",
    "EVENTS_GONE",
    "UPSTREAM_UNAVAILABLE",
  ],
  input: Type.Object({
    id: inPath(WebhookId),
    after: inBody(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "Events with a higher seq are sent",
        expects: "a seq: a whole number, 0 or higher",
      }),
    ),
  }),
  output: Type.Object({
    id: WebhookId,
    afterSeq: { ...Count, description: "The seq after which events are sent" },
    lastSeq: { ...Count, description: "The last seq of the chain at that time" },
  }),
  example: { id: "00000000-0000-4000-8000-000000000000", after: 0 },
  statuses: [202],
  async handler(context, { id, after }) {
    const webhook = await requireConfirmed(context, id);
    await context.counters.webhookReplay(id);
    const { moved, ...bounds } = await replay(context.database, webhook, { after, now: new Date(context.clock()) });
    if (!moved) throw eventsGone(after, bounds);
    return { id, afterSeq: after, lastSeq: bounds.lastSeq };
  },
});
