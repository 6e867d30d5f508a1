import { expect, test } from "bun:test";
import type { Hex } from "viem";
import { createKnownBlocks, type HashAt, type KnownBlock, type KnownBlocks } from "./createKnownBlocks";

function block(number: number, fork = 0): KnownBlock {
  return { number: BigInt(number), hash: `0x${number.toString(16)}${fork}` };
}

/** A chain that forked at a height, or (null) never did, and whose node knows blocks up to `head`. */
function chain(head: number, forkedAt: number | null): { head: KnownBlock; hashAt: HashAt } {
  const at = (number: number) => block(number, forkedAt !== null && number >= forkedAt ? 1 : 0);
  const hashAt = async (number: bigint) => (number > head ? lacks() : at(Number(number)).hash);
  return { head: at(head), hashAt };
}

async function lacks(): Promise<Hex> {
  throw new Error("the node does not have this block");
}

function known(...numbers: number[]) {
  const blocks = createKnownBlocks(256);
  for (const number of numbers) blocks.add(block(number));
  return blocks;
}

/** The known heights, highest first: those that replace each other as the highest one while the chain loses them one by one. */
async function heights(blocks: KnownBlocks): Promise<bigint[]> {
  const found: bigint[] = [];
  for (;;) {
    let highest: bigint | null = null;
    const changedFrom = await blocks.rewind(block(1_000), async (number) => {
      highest ??= number;
      return block(Number(number), number === highest ? 9 : 0).hash;
    });
    if (changedFrom === null || highest === null) return found;
    found.push(highest);
  }
}

test("a head that extends the known chain changes nothing", async () => {
  const { head, hashAt } = chain(14, null);
  expect(await known(10, 12).rewind(head, hashAt)).toBeNull();
});

test("a lower head is a node that lags, and nothing is forgotten", async () => {
  const blocks = known(10, 11, 12);
  const { head, hashAt } = chain(11, null);
  expect(await blocks.rewind(head, hashAt)).toBeNull();
  expect(await heights(blocks)).toEqual([12n, 11n, 10n]);
});

test("another hash at the known head is a reorganisation of that block", async () => {
  const blocks = known(10, 11, 12);
  const { head, hashAt } = chain(12, 12);
  expect(await blocks.rewind(head, hashAt)).toBe(12n);
  expect(await heights(blocks)).toEqual([11n, 10n]);
});

test("a deep reorganisation is traced down to the last common known block", async () => {
  const blocks = known(4, 8, 10, 12);
  const { head, hashAt } = chain(15, 9);
  expect(await blocks.rewind(head, hashAt)).toBe(9n);
  expect(await heights(blocks)).toEqual([8n, 4n]);
});

test("a reorganisation to a shorter chain is distinguished from a lagging node by its hash", async () => {
  const blocks = known(10, 11, 12);
  const { head, hashAt } = chain(11, 11);
  expect(await blocks.rewind(head, hashAt)).toBe(11n);
  expect(await heights(blocks)).toEqual([10n]);
});

test("when every known block was replaced, everything may have changed", async () => {
  const blocks = known(10, 11, 12);
  const { head, hashAt } = chain(20, 3);
  expect(await blocks.rewind(head, hashAt)).toBe(0n);
  expect(await heights(blocks)).toEqual([]);
});

test("a reorganisation of hundreds of known blocks is traced with a few requests", async () => {
  const blocks = known(...Array.from({ length: 256 }, (_, index) => index));
  const { head, hashAt } = chain(300, 17);
  let requests = 0;
  const changedFrom = await blocks.rewind(head, (number) => {
    requests++;
    return hashAt(number);
  });
  expect(changedFrom).toBe(17n);
  expect(requests).toBeLessThan(12);
});

test("a node that does not know the height proves nothing", async () => {
  const blocks = known(10, 11, 12);
  await expect(blocks.rewind(chain(20, 3).head, lacks)).rejects.toThrow("does not have this block");
  expect(await heights(blocks)).toEqual([12n, 11n, 10n]);
});
