import { expect, test } from "bun:test";
import { dueDayOf } from "@dueday/core/test/dueDayOf";
import { cutDueDay } from "@dueday/db/duePages/cutDueDay";
import { createPageStore } from "./createPageStore";

const { pages } = cutDueDay(dueDayOf(20_777, [1_000]));
const hashes = pages.map(({ hash }) => hash);
const stored = new Map(pages.map(({ hash, payload }) => [hash, payload]));

function readFrom(texts: ReadonlyMap<string, string>, reads: string[][] = []) {
  return async (wanted: readonly string[]) => {
    reads.push([...wanted]);
    return new Map(wanted.flatMap((hash) => [[hash, texts.get(hash)] as const]).filter(hasText));
  };
}

function hasText(entry: readonly [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

test("a page is read once, by whichever of the requests that wait for it", async () => {
  const reads: string[][] = [];
  const store = createPageStore(readFrom(stored, reads));
  const wanted = [hashes.slice(0, 2), hashes.slice(1, 3), hashes.slice(0, 3)];
  expect(await Promise.all(wanted.map((each) => store.load(each)))).toEqual([true, true, true]);
  expect(reads.flat().toSorted()).toEqual(hashes.slice(0, 3).toSorted());
  expect(store.get(hashes.slice(0, 3))?.size).toBe(3);
});

test("memory is bounded: pages that were not used for longest are read again", async () => {
  const reads: string[][] = [];
  const length = pages[0]?.payload.length ?? 0;
  const store = createPageStore(readFrom(stored, reads), Math.floor(3.5 * length));
  for (const hash of hashes) await store.load([hash]);
  expect(store.get(hashes.slice(-3))?.size).toBe(3);
  expect(hashes.slice(0, -3).map((hash) => store.get([hash]))).toEqual(hashes.slice(0, -3).map(() => null));
  expect(await store.load(hashes.slice(0, 1))).toBe(true);
  expect(reads).toHaveLength(hashes.length + 1);
});

test("a page that is not stored, is not JSON or does not fit its schema is not there", async () => {
  const [a = "", b = "", c = "", d = ""] = hashes;
  const store = createPageStore(
    readFrom(new Map([...stored].filter(([hash]) => hash !== a)).set(b, "{").set(c, "[1]")),
  );
  expect(await store.load([a, b, c, d])).toBe(false);
  expect([a, b, c, d].map((hash) => store.get([hash]) !== null)).toEqual([false, false, false, true]);
});

test("after a failed read the page is read again", async () => {
  let fails = true;
  const read = readFrom(stored);
  const store = createPageStore(async (wanted) => {
    if (fails) throw new Error("away");
    return read(wanted);
  });
  await expect(store.load(hashes.slice(0, 1))).rejects.toThrow("away");
  fails = false;
  expect(await store.load(hashes.slice(0, 1))).toBe(true);
});
