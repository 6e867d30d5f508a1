import { createSocket } from "node:dgram";
import { once } from "node:events";
import { demoProviders } from "@dueday/devnet/scenarios/demoPlans";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type Answer, decode, encode } from "dns-packet";

/** Index of the seller whose domain is verified in the demo; the others are shown as unverified. */
const VERIFIED = 0;
const RESPONSE = 0x8180;
const NAME_ERROR = 3;

/** The record that verifies one seller of the demo. */
const demoRecord = (): TextRecord => ({
  name: `_dueday.${demoProviders[VERIFIED].domain}`,
  value: `provider=eip155:${DEVNET_CHAIN_ID}:${testAccount(ACCOUNT_INDEX.firstProvider + VERIFIED).address}`,
});

type TextRecord = { name: string; value: string };

/** A name server on this machine: it knows one TXT record, by default that of the demo's verified seller, and no other name. */
export async function startDemoNames(record = demoRecord()): Promise<{ address: string; stop(): Promise<void> }> {
  const socket = createSocket("udp4");
  socket.on("message", (message, from) => {
    const { id = 0, questions = [] } = decode(message);
    const asked = questions.filter(({ name }) => name.toLowerCase() === record.name);
    const answers = asked.flatMap(({ name, type }): Answer[] =>
      type === "TXT" ? [{ name, type, ttl: 60, data: record.value }] : [],
    );
    const flags = asked.length === 0 ? RESPONSE | NAME_ERROR : RESPONSE;
    socket.send(encode({ id, type: "response", flags, questions, answers }), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async stop() {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}
