import { parseArgs } from "node:util";
import { answerChallenge, verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";

/**
 * Receives webhooks, verifies them, and prints each event once, even if it arrives twice.
 *
 *     WEBHOOK_SECRET=whsec_... bun examples/webhookReceiver.ts [--port 4000]
 *
 * Your own receiver should answer as soon as the event is stored, and do the work afterwards: an answer that takes longer than 15 s
 * counts as a failure. It should store the webhook-id in the same database transaction as its work, and not in memory.
 */

const { values } = parseArgs({ options: { port: { type: "string", default: "4000" } } });
const secret = process.env.WEBHOOK_SECRET ?? "";
if (!secret.startsWith("whsec_"))
  throw new Error("WEBHOOK_SECRET must be the secret that creating the webhook returned");

/** More than arrives within four days, after which a failed event is not retried any more. */
const MOST_REMEMBERED = 100_000;
const handled = new Set<string>();

const server = Bun.serve({
  port: Number(values.port),
  hostname: "127.0.0.1",
  async fetch(request) {
    // Verified below, with the body.
    const id = request.headers.get("webhook-id") ?? "";
    try {
      const event = await verifyWebhook(request, secret);
      const answer = answerChallenge(event);
      if (answer !== null) return answer;
      if (handled.has(id)) return new Response(null, { status: 204 });
      handled.add(id);
      if (handled.size > MOST_REMEMBERED) handled.delete([...handled.keys()][0] ?? "");
      console.log(`${id} ${event.type} ${JSON.stringify(event.data)}`);
      return new Response(null, { status: 204 });
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      console.error(`refused: ${error.message}`);
      return new Response(error.code, { status: 400 });
    }
  },
});
console.error(`waiting for webhooks on ${server.url}`);
