import { answerChallenge, verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";
import Fastify from "fastify";

const secret = process.env.WEBHOOK_SECRET ?? "";
const app = Fastify();

await app.register(async (hooks) => {
  // Only for the routes of this plugin: others still get parsed JSON.
  hooks.removeContentTypeParser("application/json");
  hooks.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  hooks.post<{ Body: Buffer }>("/hooks/dueday", async ({ headers, body }, reply) => {
    try {
      const event = await verifyWebhook({ headers, body }, secret);
      const challenge = answerChallenge(event);
      if (challenge !== null) return reply.send(await challenge.text());
      console.log(event.type);
      return reply.code(204).send();
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return reply.code(400).send(error.code);
    }
  });
});

await app.listen({ port: Number(process.env.PORT ?? 4000) });
