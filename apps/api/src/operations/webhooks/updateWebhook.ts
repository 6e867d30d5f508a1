import { validationError } from "@dueday/core/errors";
import { updateWebhook as changeWebhook } from "@dueday/db/webhooks/storeWebhook";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody, inPath } from "../../operation/defineOperation";
import {
  challengeRequired,
  checkUrl,
  Description,
  Filter,
  filterColumns,
  noWebhook,
  requireWebhooks,
  Types,
  toWebhookView,
  WebhookId,
  WebhookUrl,
  WebhookView,
} from "./webhook";

export const updateWebhook = defineOperation({
  name: "update_webhook",
  http: { method: "PATCH", path: "/webhooks/:id" },
  summary: "Change a webhook, disable it, or enable it again",
  description:
    "Needs a developer key or portal session of the webhook's owner. What is not sent stays; filter is replaced as a whole, types null means all. While it is " +
    "disabled only challenges, tests and redeliveries are sent; enabled again, it continues where it stopped, with all events that are still kept. To skip them, first replay " +
    "with the last seq as after. A new URL has to answer a challenge before anything else is sent to it.",
  chainScoped: false,
  bucket: "cheap",
  area: "webhooks",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  errors: [
    "LANE_REQUIRED",
    "WEBHOOKS_DISABLED",
    "URL_REFUSED",
    "NOT_FOUND",
    "CHALLENGE_REQUIRED",
    "UPSTREAM_UNAVAILABLE",
  ],
  input: Type.Object({
    id: inPath(WebhookId),
    url: inBody(Type.Optional(WebhookUrl)),
    types: inBody(Type.Optional(Types)),
    filter: inBody(Type.Optional(Filter)),
    description: inBody(Type.Optional(Description)),
    enabled: inBody(Type.Optional(Type.Boolean())),
  }),
  output: WebhookView,
  example: { id: "00000000-0000-4000-8000-000000000000", enabled: true },
  async handler(context, { id, filter, ...change }) {
    const webhooks = requireWebhooks(context);
    if (filter === undefined && Object.keys(change).length === 0)
      throw validationError("enabled", "REQUIRED", "or url, types, filter or description is required: nothing changes");
    if (change.url !== undefined) await checkUrl(change.url, webhooks);
    const updated = await changeWebhook(
      context.database,
      { id, subjectId: webhooks.subjectId },
      { ...change, ...(filter !== undefined && filterColumns(filter)) },
      new Date(context.clock()),
    );
    if (updated === null) throw noWebhook();
    if (updated === "unconfirmed") throw challengeRequired();
    return toWebhookView(updated);
  },
});
