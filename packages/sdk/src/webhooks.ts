/** For receivers of webhooks: the signature is verified before anything of the request is believed. */
export type { DuedayEvent, EventType, WebhookTest } from "./operationTypes";
export {
  type HeaderRecord,
  type ReceivedWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
} from "./webhooks/verifyWebhook";
