import { Instant } from "@dueday/core/schema";
import { ROTATION_OVERLAP_MS } from "@dueday/core/webhooks/webhook";
import { rotateWebhookSecret as replaceSecret } from "@dueday/db/webhooks/storeWebhook";
import { Type } from "@sinclair/typebox";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { createSecret } from "./createWebhook";
import { noWebhook, requireWebhooks, Secret, WebhookId } from "./webhook";

export const rotateWebhookSecret = defineOperation({
  name: "rotate_webhook_secret",
  http: { method: "POST", path: "/webhooks/:id/rotate" },
  summary: "Replace a webhook's signing secret; the new one is shown this once",
  description:
    "Needs a developer key or portal session of the webhook's owner. For 24 hours, requests are signed with both secrets, so that receivers can change over " +
    "without a gap. A further rotation within that time ends the oldest secret.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ id: inPath(WebhookId) }),
  output: Type.Object({ id: WebhookId, secret: Secret, previousSecretUntil: Instant }),
  example: { id: "00000000-0000-4000-8000-000000000000" },
  async handler(context, { id }) {
    const { subjectId, box } = requireWebhooks(context);
    const secret = createSecret();
    const now = context.clock();
    const previousUntil = new Date(now + ROTATION_OVERLAP_MS);
    const sealed = { secret: box.seal(secret, id), previousUntil, now: new Date(now) };
    if (!(await replaceSecret(context.database, { id, subjectId }, sealed))) throw noWebhook();
    return { id, secret, previousSecretUntil: previousUntil.toISOString() };
  },
});
