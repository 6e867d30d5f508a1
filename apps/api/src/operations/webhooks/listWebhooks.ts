import { listWebhooks as readWebhooks } from "@dueday/db/webhooks/storeWebhook";
import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { requireWebhooks, toWebhookView, WEBHOOKS_LIMIT, WebhookView } from "./webhook";

export const listWebhooks = defineOperation({
  name: "list_webhooks",
  http: { method: "GET", path: "/webhooks" },
  summary: "List your webhooks, on all chains",
  description:
    "Needs a developer key or a portal session. All webhooks of its subject, newest first, without their secrets.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["LANE_REQUIRED", "WEBHOOKS_DISABLED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({}),
  output: Type.Object({ webhooks: Type.Array(WebhookView, { maxItems: WEBHOOKS_LIMIT }) }),
  example: {},
  async handler(context) {
    const { subjectId } = requireWebhooks(context);
    return { webhooks: (await readWebhooks(context.database, subjectId)).map(toWebhookView) };
  },
});
