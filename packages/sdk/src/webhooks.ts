/** For receivers of webhooks: the signature is verified before any part of the request is used. */
export type { DuedayEvent, EventType, WebhookChallenge, WebhookTest } from "./operationTypes";
export { answerChallenge } from "./webhooks/answerChallenge";
export {
  type HeaderRecord,
  type ReceivedWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
} from "./webhooks/verifyWebhook";
