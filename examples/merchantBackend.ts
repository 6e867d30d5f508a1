import type { Dueday } from "@dueday/sdk";
import { answerChallenge, verifyWebhook, WebhookError } from "@dueday/sdk/webhooks";
import type { Address, Hex } from "viem";

export type MerchantOptions = {
  dueday: Pick<Dueday, "getEntitlement">;
  /** Id of the subscription that visitors need. */
  subscription: Hex;
  /** `whsec_...`, as the service returned it when the webhook was created. */
  webhookSecret: string;
  /** The wallet that a visitor has signed in with; null for none. */
  accountOf(request: Request): Address | null;
  /** What subscribers may see. */
  content(request: Request): Response | Promise<Response>;
};

const KEPT_MS = 60_000;

/**
 * A merchant's backend: content for subscribers only, and a receiver of webhooks. The service is asked at most once a minute for each
 * visitor, and again when a webhook reports a change for the visitor.
 */
export function createMerchantBackend(options: MerchantOptions): (request: Request) => Promise<Response> {
  const { dueday, subscription, webhookSecret, accountOf, content } = options;
  const known = new Map<string, { entitled: boolean; until: number }>();
  /** In production, use a table with a unique column: an event can arrive more than once, also after a restart. */
  const handled = new Set<string>();

  async function isEntitled(account: Address): Promise<boolean> {
    const key = account.toLowerCase();
    const kept = known.get(key);
    if (kept !== undefined && kept.until > Date.now()) return kept.entitled;
    const { entitled } = await dueday.getEntitlement({ id: subscription, account });
    known.set(key, { entitled, until: Date.now() + KEPT_MS });
    return entitled;
  }

  /** The middleware: 401 without a wallet, 402 without a subscription. */
  async function serveSubscriber(request: Request): Promise<Response> {
    const account = accountOf(request);
    if (account === null) return new Response("sign in with a wallet", { status: 401 });
    if (!(await isEntitled(account))) return new Response(`subscribe to ${subscription}`, { status: 402 });
    return content(request);
  }

  async function receiveWebhook(request: Request): Promise<Response> {
    try {
      const event = await verifyWebhook(request, webhookSecret);
      const answer = answerChallenge(event);
      if (answer !== null) return answer;
      if (!handled.has(event.id)) forget(event);
      handled.add(event.id);
      return new Response(null, { status: 204 });
    } catch (error) {
      if (error instanceof WebhookError) return new Response(error.code, { status: 400 });
      throw error;
    }
  }

  function forget({ data }: Pick<Awaited<ReturnType<typeof verifyWebhook>>, "data">): void {
    if ("subscriber" in data && typeof data.subscriber === "string") known.delete(data.subscriber.toLowerCase());
  }

  return (request) => {
    const { pathname } = new URL(request.url);
    return request.method === "POST" && pathname === "/webhooks" ? receiveWebhook(request) : serveSubscriber(request);
  };
}
