import { createDueday, DuedayError } from "@dueday/sdk";
import { verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";

type Env = { DUEDAY_URL: string; WEBHOOK_SECRET: string };

/** The plans that are open, and the receiver of webhooks, at the edge. */
export default {
  async fetch(request, env) {
    try {
      if (request.method === "POST") {
        const { type } = await verifyWebhook(request, env.WEBHOOK_SECRET);
        return new Response(type);
      }
      const dueday = createDueday({ baseUrl: env.DUEDAY_URL });
      const { subscriptions } = await dueday.searchSubscriptions({ cancelled: false, first: 5 });
      return Response.json(subscriptions.map(({ id }) => id));
    } catch (error) {
      if (error instanceof WebhookError) return new Response(error.code, { status: 400 });
      if (DuedayError.is(error)) return new Response(error.code, { status: 502 });
      throw error;
    }
  },
} satisfies ExportedHandler<Env>;
