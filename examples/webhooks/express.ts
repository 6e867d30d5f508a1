import { answerChallenge, verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";
import express from "express";

const secret = process.env.WEBHOOK_SECRET ?? "";
const app = express();

// express.raw leaves the bytes as they arrived. With express.json for the whole app, this route has to stand before it.
app.post("/hooks/dueday", express.raw({ type: "application/json" }), async (request, response) => {
  try {
    const event = await verifyWebhook({ headers: request.headers, body: request.body }, secret);
    const challenge = answerChallenge(event);
    if (challenge !== null) return response.send(await challenge.text());
    console.log(event.type);
    return response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return response.status(400).send(error.code);
  }
});

app.listen(Number(process.env.PORT ?? 4000));
