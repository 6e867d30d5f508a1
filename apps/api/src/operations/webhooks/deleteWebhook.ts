import { Instant } from "@dueday/core/schema";
import { deleteWebhook as removeWebhook } from "@dueday/db/webhooks/storeWebhook";
import { Type } from "@sinclair/typebox";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { noWebhook, requireWebhooks, WebhookId } from "./webhook";

export const deleteWebhook = defineOperation({
  name: "delete_webhook",
  http: { method: "DELETE", path: "/webhooks/:id" },
  summary: "Delete a webhook and its deliveries",
  description:
    "Needs a developer key or portal session of the webhook's owner. Nothing is sent to it any more, except for an attempt under way. To pause it, disable it " +
    "instead.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ id: inPath(WebhookId) }),
  output: Type.Object({ id: WebhookId, deletedAt: Instant }),
  example: { id: "00000000-0000-4000-8000-000000000000" },
  async handler(context, { id }) {
    const { subjectId } = requireWebhooks(context);
    if (!(await removeWebhook(context.database, { id, subjectId }))) throw noWebhook();
    return { id, deletedAt: new Date(context.clock()).toISOString() };
  },
});
