import { DuePage } from "@dueday/core/snapshots/dueDay";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { LRUCache } from "lru-cache";

/** Reads pages of due lists by hash, as JSON text; those that are not stored are left out. */
export type ReadPages = (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Pages of due lists in a bounded part of the memory. The hash of a page determines its content, so none is ever out of date. */
export type PageStore = {
  /** The pages of these hashes; null where one is not in memory. */
  get(hashes: readonly string[]): ReadonlyMap<string, DuePage> | null;
  /**
   * Reads the pages that are not in memory. Calls that wait for the same page share its read.
   *
   * @returns whether all are in memory now
   * @throws DatabaseError
   */
  load(hashes: readonly string[]): Promise<boolean>;
};

/** Characters of JSON text. The first pages of all lists of all scanned days have 6 million at most. */
const MOST_CHARACTERS = 16_000_000;

const check = TypeCompiler.Compile(DuePage);

/** Keeps the pages as text, which takes a third of the memory of their objects; an answer is made once for each state and query. */
export function createPageStore(read: ReadPages, mostCharacters = MOST_CHARACTERS): PageStore {
  const texts = new LRUCache<string, string>({ maxSize: mostCharacters, sizeCalculation: (text) => text.length + 1 });
  const reads = new Map<string, Promise<void>>();

  function parse(text: string): DuePage {
    // It passed the check when it was read.
    return JSON.parse(text) as DuePage;
  }

  async function readMissing(hashes: readonly string[]): Promise<void> {
    try {
      for (const [hash, text] of await read(hashes)) if (isPage(text)) texts.set(hash, text);
    } finally {
      for (const hash of hashes) reads.delete(hash);
    }
  }

  return {
    get(hashes) {
      const pages = new Map<string, DuePage>();
      for (const hash of hashes) {
        const text = texts.get(hash);
        if (text === undefined) return null;
        pages.set(hash, parse(text));
      }
      return pages;
    },
    async load(hashes) {
      const missing = hashes.filter((hash) => !texts.has(hash));
      const fresh = [...new Set(missing.filter((hash) => !reads.has(hash)))];
      if (fresh.length > 0) {
        const reading = readMissing(fresh);
        for (const hash of fresh) reads.set(hash, reading);
      }
      await Promise.all(missing.map((hash) => reads.get(hash)));
      return hashes.every((hash) => texts.has(hash));
    },
  };
}

function isPage(text: string): boolean {
  try {
    return check.Check(JSON.parse(text));
  } catch {
    return false;
  }
}
