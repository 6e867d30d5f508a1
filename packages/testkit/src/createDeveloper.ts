import { createDueday, type EventType } from "@dueday/sdk";
import type { Hex } from "./facts";

/** Which events a webhook gets. */
export type WebhookOptions = {
  /** Such as `payment.paid`; the service refuses a type that it does not know. Default: all types. */
  types?: readonly string[] | undefined;
  /** Only events of one provider, plan or subscriber. Default: all. */
  filter?: { provider?: Hex; subscription?: Hex; subscriber?: Hex } | undefined;
  /** The developer key that owns it. Default: a new one. */
  apiKey?: string | undefined;
};

/** A webhook of the stack. Its receiver verifies requests with `@dueday/sdk/webhooks` and `secret`. */
export type StackWebhook = {
  id: string;
  /** `whsec_...`: give it to the receiver before `enable()`. */
  secret: string;
  /** The developer key that owns it, for `createDueday({ baseUrl: url, apiKey })`. */
  apiKey: string;
  /**
   * Sends the challenge to the receiver, which must be running. Once it has resolved, the service sends all events since the webhook was created.
   *
   * @throws Error with the reason where the receiver does not answer with the challenge
   */
  enable(): Promise<void>;
};

/** What a developer has of a service. */
export type Developer = {
  /** Creates a developer key; each key has another subject. */
  apiKey(): Promise<string>;
  /**
   * Creates a webhook to a receiver on this machine, over http.
   *
   * @example
   * const { secret, enable } = await dueday.createWebhook("http://localhost:4000/hooks/dueday");
   * await startShop({ webhookSecret: secret });
   * await enable();
   */
  createWebhook(url: string, options?: WebhookOptions): Promise<StackWebhook>;
};

const PAUSE_MS = 50;
/** Much longer than a busy machine takes. */
const DEADLINE_MS = 60_000;

/** Developer keys and webhooks of a running stack, whose admin secret is known. */
export function createDeveloper({ url: baseUrl }: { url: string }, adminSecret: string): Developer {
  const admin = createDueday({ baseUrl, apiKey: adminSecret });

  async function apiKey(): Promise<string> {
    const { key } = await admin.createDeveloperKey({ subjectId: crypto.randomUUID() });
    return key;
  }

  return {
    apiKey,
    async createWebhook(url, { types, filter, apiKey: given } = {}) {
      const owner = given ?? (await apiKey());
      const dueday = createDueday({ baseUrl, apiKey: owner });
      // The declarations of this package stand alone; the service checks the types.
      const { id, secret } = await dueday.createWebhook({ url, types: types as readonly EventType[], filter });
      return {
        id,
        secret,
        apiKey: owner,
        async enable() {
          const { id: challenge } = await dueday.challengeWebhook({ id });
          const deadline = performance.now() + DEADLINE_MS;
          while (!(await dueday.getWebhook({ id })).enabled) {
            const { deliveries } = await dueday.listWebhookDeliveries({ id });
            const failure = deliveries.find((each) => each.id === challenge)?.failure;
            if (failure != null)
              throw new Error(`the receiver at ${url} did not answer the challenge: ${failure.message}`);
            if (performance.now() > deadline)
              throw new Error(
                `the challenge to ${url} was neither answered nor refused within ${DEADLINE_MS / 1000} s`,
              );
            await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
          }
        },
      };
    },
  };
}
