import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { decode, encode, type Packet, streamDecode, streamEncode, type TxtAnswer } from "dns-packet";

/** What the server answers for a name: texts of its TXT records, an error, or a fault. */
export type TxtAnswerOf =
  | readonly string[]
  | "nxdomain"
  | "no_data"
  | "servfail"
  | "refused"
  | "silent"
  | "garbage"
  | { wrongId: readonly string[] }
  | { wrongQuestion: readonly string[] }
  | { truncated: readonly string[] };

export type TxtServer = {
  /** With its port. */
  address: string;
  /** Answers by name; others do not exist. */
  answers: Record<string, TxtAnswerOf>;
  /** What was asked, as `udp TXT name`. */
  asked: string[];
  stop(): Promise<void>;
};

const RESPONSE = 0x8180;
const TRUNCATED = 0x0200;
const CODES = { no_data: 0, nxdomain: 3, servfail: 2, refused: 5 } as const;

/** A name server for TXT records on UDP and TCP that can also answer wrongly. */
export async function startTxtServer(): Promise<TxtServer> {
  const answers: TxtServer["answers"] = {};
  const asked: string[] = [];
  const udp = createSocket("udp4");
  const tcp = createServer((socket: Socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => {
      const reply = respond(streamDecode(data), "tcp");
      if (reply !== null) socket.end(streamEncode(reply));
    });
  });

  function respond(query: Packet, over: "udp" | "tcp"): Packet | null {
    const [question] = query.questions ?? [];
    const name = question?.name.toLowerCase() ?? "";
    asked.push(`${over} ${question?.type} ${name}`);
    const reply: Packet = { ...query, type: "response", flags: RESPONSE, answers: [], additionals: [] };
    const answer = answers[name] ?? "nxdomain";
    if (answer === "silent" || answer === "garbage") return null;
    if (typeof answer === "string") return { ...reply, flags: RESPONSE | CODES[answer] };
    const texts = (list: readonly string[]): TxtAnswer[] =>
      list.map((data) => ({ name, type: "TXT", ttl: 1, data: data.match(/.{1,200}/g) ?? [data] }));
    if ("wrongId" in answer) return { ...reply, id: ((query.id ?? 0) + 1) % 65_536, answers: texts(answer.wrongId) };
    if ("wrongQuestion" in answer) {
      return { ...reply, questions: [{ name: "other.example", type: "TXT" }], answers: texts(answer.wrongQuestion) };
    }
    if (!("truncated" in answer)) return { ...reply, answers: texts(answer) };
    if (over === "udp") return { ...reply, flags: RESPONSE | TRUNCATED };
    return { ...reply, answers: texts(answer.truncated) };
  }

  udp.on("message", (message, from) => {
    const query = decode(message);
    const reply = respond(query, "udp");
    const isGarbage = answers[query.questions?.[0]?.name.toLowerCase() ?? ""] === "garbage";
    if (reply !== null) udp.send(encode(reply), from.port, from.address);
    else if (isGarbage) udp.send("garbage", from.port, from.address);
  });
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const bound = tcp.address();
  if (bound === null || typeof bound === "string") throw new Error("the server has no port");
  udp.bind(bound.port, "127.0.0.1");
  await once(udp, "listening");
  return {
    address: `127.0.0.1:${bound.port}`,
    answers,
    asked,
    async stop() {
      const closed = Promise.all([once(udp, "close"), once(tcp, "close")]);
      udp.close();
      tcp.close();
      await closed;
    },
  };
}
