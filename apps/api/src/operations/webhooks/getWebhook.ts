import { findWebhook, type Webhook } from "@dueday/db/webhooks/storeWebhook";
import { Type } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { challengeRequired, noWebhook, requireWebhooks, toWebhookView, WebhookId, WebhookView } from "./webhook";

export const getWebhook = defineOperation({
  name: "get_webhook",
  http: { method: "GET", path: "/webhooks/:id" },
  summary: "One of your webhooks",
  description: "Needs a developer key or portal session of the webhook's owner.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ id: inPath(WebhookId) }),
  output: WebhookView,
  example: { id: "00000000-0000-4000-8000-000000000000" },
  async handler(context, { id }) {
    return toWebhookView(await requireWebhook(context, id));
  },
});

/** @throws ServiceError NOT_FOUND where the caller's subject owns no webhook of this id; as `requireWebhooks` */
export async function requireWebhook(context: Context, id: string): Promise<Webhook> {
  const { subjectId } = requireWebhooks(context);
  const webhook = await findWebhook(context.database, { id, subjectId });
  if (webhook === null) throw noWebhook();
  return webhook;
}

/** @throws ServiceError CHALLENGE_REQUIRED where its URL has not answered a challenge; as `requireWebhook` */
export async function requireConfirmed(context: Context, id: string): Promise<Webhook> {
  const webhook = await requireWebhook(context, id);
  if (webhook.confirmedAt === null) throw challengeRequired();
  return webhook;
}
