import { expect, test } from "bun:test";
import { eachNode } from "./eachNode";

const SIGNED = "0x02";

/** A node that answers each `eth_sendRawTransaction` with this result or error, once `until` is there. */
function serveNode(
  answer: { result: string } | { error: { code: number; message: string } },
  until = Promise.resolve(),
) {
  return Bun.serve({
    port: 0,
    async fetch(request) {
      // The body is JSON-RPC of viem.
      const { id } = (await request.json()) as { id: number };
      await until;
      return Response.json({ jsonrpc: "2.0", id, ...answer });
    },
  });
}

const accepting = { result: `0x${"11".repeat(32)}` };
const refusing = { error: { code: -32_000, message: "transaction underpriced" } };

test("a transaction that one node accepts is sent, although another node never answers", async () => {
  const silence = Promise.withResolvers<void>();
  await using silent = serveNode(accepting, silence.promise);
  await using node = serveNode(accepting);
  const { broadcast } = eachNode([silent.url.href, node.url.href]);
  // The silent node is released only afterwards: a broadcast that waits for it ends with the test's time limit.
  expect(await broadcast(SIGNED)).toBe("accepted");
  silence.resolve();
});

test("a refusal is believed only when no other node accepts", async () => {
  const silence = Promise.withResolvers<void>();
  await using refuser = serveNode(refusing);
  await using late = serveNode(accepting, silence.promise);
  const sent = eachNode([refuser.url.href, late.url.href]).broadcast(SIGNED);
  silence.resolve();
  expect(await sent).toBe("accepted");
  expect(await eachNode([refuser.url.href]).broadcast(SIGNED)).toBe("underpriced");
});
