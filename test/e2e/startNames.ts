import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Answer, decode, encode, RECURSION_DESIRED } from "dns-packet";

/** A name server on a free port. */
export type Names = { port: number; stop(): Promise<void> };

/**
 * Starts a name server.
 *
 * @param addressesOf the IPv4 addresses of a name, asked for with each look-up of it
 * @param ttlSeconds for how long an answer may be used again
 */
export async function startNames(addressesOf: (name: string) => readonly string[], ttlSeconds = 1): Promise<Names> {
  const socket = createSocket("udp4");
  socket.on("message", (message, from) => {
    const { id, questions = [] } = decode(message);
    const answers = questions.flatMap(({ name, type }): Answer[] =>
      type === "A" ? addressesOf(name).map((data) => ({ name, type, ttl: ttlSeconds, data })) : [],
    );
    const reply = encode({
      type: "response",
      flags: RECURSION_DESIRED,
      questions,
      answers,
      ...(id === undefined ? {} : { id }),
    });
    socket.send(reply, from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    async stop() {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}
