import { createDueday, DuedayError } from "@dueday/sdk";
import { answerChallenge, verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";
import Fastify, { type FastifyInstance } from "fastify";
import { type Hex, isAddress } from "viem";

export type ShopOptions = { service: string; subscription: Hex; webhookSecret: string };

/** A shop on Fastify: an article for those who pay, and the receiver of webhooks. */
export function createShop({ service, subscription, webhookSecret }: ShopOptions): FastifyInstance {
  const dueday = createDueday({ baseUrl: service });
  const app = Fastify();
  // Parsed and serialized again, a body would have another signature.
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => done(null, body));

  app.get<{ Params: { account: string } }>("/article/:account", async ({ params: { account } }, reply) => {
    if (!isAddress(account)) return reply.code(401).send("sign in with a wallet");
    try {
      const { entitled } = await dueday.getEntitlement({ id: subscription, account });
      return entitled ? "an article" : reply.code(402).send("subscribe to read on");
    } catch (error) {
      if (DuedayError.is(error, "NETWORK_ERROR", "TIMEOUT")) return reply.code(503).send(error.message);
      throw error;
    }
  });

  app.post<{ Body: string }>("/webhooks", async ({ headers, body }, reply) => {
    try {
      const event = await verifyWebhook({ headers, body }, webhookSecret);
      const challenge = answerChallenge(event);
      return challenge === null ? reply.code(204).send() : reply.send(await challenge.text());
    } catch (error) {
      if (error instanceof WebhookError) return reply.code(400).send(error.code);
      throw error;
    }
  });
  return app;
}
