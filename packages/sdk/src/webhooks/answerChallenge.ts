import type { DuedayEvent, WebhookChallenge, WebhookTest } from "../operationTypes";

/**
 * The answer to a challenge, which enables the webhook. Call it with what `verifyWebhook` returned: a receiver that answered before it verified the
 * signature would accept the webhooks of others.
 *
 * @returns null for anything but a challenge
 *
 * @example
 * const event = await verifyWebhook(request, secret);
 * const answer = answerChallenge(event);
 * if (answer !== null) return answer;
 */
export function answerChallenge(event: DuedayEvent | WebhookTest | WebhookChallenge): Response | null {
  if (event.type !== "webhook.challenge") return null;
  return new Response(event.data.challenge, { headers: { "Content-Type": "text/plain" } });
}
