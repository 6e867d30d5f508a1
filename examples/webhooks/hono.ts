import { answerChallenge, verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";
import { Hono } from "hono";

const secret = process.env.WEBHOOK_SECRET ?? "";
const app = new Hono();

// context.req.raw is the Request itself, whose body nothing has read yet.
app.post("/hooks/dueday", async (context) => {
  try {
    const event = await verifyWebhook(context.req.raw, secret);
    const challenge = answerChallenge(event);
    if (challenge !== null) return challenge;
    console.log(event.type);
    return context.body(null, 204);
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return context.text(error.code, 400);
  }
});

Bun.serve({ port: Number(process.env.PORT ?? 4000), fetch: app.fetch });
