import { answerChallenge, verifyWebhook } from "@dueday/sdk/webhooks";

export type Receiver = {
  url: string;
  /** The secret that deliveries must be signed with, once it is known. Until then none is accepted. */
  secret: string | null;
  /** Ids and types of the accepted events, in order of arrival; an event that is sent twice is there twice. */
  received: { id: string; type: string }[];
  stop(): void;
};

/** A receiver of webhooks on this machine. It accepts what `verifyWebhook` accepts, and answers 401 to everything else. */
export function startReceiver(): Receiver {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (receiver.secret === null) return new Response("no secret yet", { status: 401 });
      const event = await verifyWebhook(request, receiver.secret).catch(() => null);
      if (event === null) return new Response("not signed", { status: 401 });
      const answer = answerChallenge(event);
      if (answer !== null) return answer;
      receiver.received.push({ id: event.id, type: event.type });
      return new Response("stored");
    },
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}/hooks`,
    secret: null,
    received: [],
    stop: () => void server.stop(true),
  };
  return receiver;
}
