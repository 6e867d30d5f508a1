import { answerChallenge, verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";

const secret = process.env.WEBHOOK_SECRET ?? "";

// A route handler gets a standard Request. Do not call request.json() before.
export async function POST(request: Request): Promise<Response> {
  try {
    const event = await verifyWebhook(request, secret);
    const challenge = answerChallenge(event);
    if (challenge !== null) return challenge;
    console.log(event.type);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return new Response(error.code, { status: 400 });
  }
}
