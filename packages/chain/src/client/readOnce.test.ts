import { expect, test } from "bun:test";
import { createChainClient } from "./createChainClient";
import { correctFact, readOnce } from "./readOnce";

const client = () => createChainClient({ chainId: 31337, rpcUrls: ["http://127.0.0.1:1"], requestTimeoutMs: 1_000 });
const unread = () => Promise.reject(new Error("the fact is known"));

test("a first read that fails is repeated by the next call", async () => {
  const chain = client();
  await expect(readOnce(chain, "fact", () => Promise.reject(new Error("no answer")))).rejects.toThrow("no answer");
  expect(await readOnce(chain, "fact", async () => true)).toBe(true);
  expect(await readOnce(chain, "fact", unread)).toBe(true);
});

test("a fact that is corrected during its first read stays corrected, whether that read fails or answers", async () => {
  for (const end of ["reject", "resolve"] as const) {
    const chain = client();
    const first = Promise.withResolvers<boolean>();
    const reading = readOnce(chain, "fact", () => first.promise);
    correctFact(chain, "fact", false);
    if (end === "reject") first.reject(new Error("no answer"));
    else first.resolve(true);
    await Promise.allSettled([reading]);
    expect(await readOnce(chain, "fact", unread)).toBe(false);
  }
});
