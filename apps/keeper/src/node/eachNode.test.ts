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
const known = { error: { code: -32_000, message: "already known" } };
const refusing = { error: { code: -32_000, message: "transaction underpriced" } };
/** Below the 10 s after which the keeper gives a node up. */
const TIMEOUT_MS = 5_000;

test.each([
  ["accepts", accepting, "accepted"],
  ["has already", known, "known"],
] as const)(
  "a transaction that one node %s is sent, although another node never answers",
  async (_what, answer, result) => {
    const silence = Promise.withResolvers<void>();
    await using silent = serveNode(accepting, silence.promise);
    await using node = serveNode(answer);
    expect(await eachNode([silent.url.href, node.url.href]).broadcast(SIGNED)).toBe(result);
    silence.resolve();
  },
  TIMEOUT_MS,
);

test("a refusal counts only when no other node accepts", async () => {
  const refused = Promise.withResolvers<void>();
  await using refuser = serveNode(refusing);
  await using late = serveNode(accepting, refused.promise);
  const { broadcast } = eachNode([refuser.url.href, late.url.href]);
  const sent = broadcast(SIGNED);
  // The first node has answered a later request, so its refusal of the earlier one is there.
  expect(await eachNode([refuser.url.href]).broadcast(SIGNED)).toBe("underpriced");
  refused.resolve();
  expect(await sent).toBe("accepted");
});
