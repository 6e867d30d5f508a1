import type { Holding } from "@dueday/core/remit/state";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { mapCalls } from "../../client/mapCalls";
import { cutAccounts, PARTS_AT_ONCE, readHoldingRows, readHoldingsHash } from "./readHoldings";

/** Accounts whose holdings of a token are read in one call, and the fingerprint of what was read; null before the first read, and where it is not known. */
export type HoldingPart = { readonly accounts: readonly Address[]; readonly fingerprint: Hex | null };

export type HoldingSource = { contract: Address; token: Address; block: ChainBlock };

const NOBODY: ReadonlySet<Address> = new Set();

/** The parts of a token without the accounts that `left`, and with those that `joined`, which fill up the last part unless it `isProven`. */
export function movedParts(
  parts: readonly HoldingPart[],
  isProven: (part: HoldingPart) => boolean,
  {
    joined = NOBODY,
    left = NOBODY,
  }: { joined?: ReadonlySet<Address> | undefined; left?: ReadonlySet<Address> | undefined },
): HoldingPart[] {
  const kept = left.size === 0 ? [...parts] : parts.flatMap((part) => without(part, left));
  if (joined.size === 0) return kept;
  const last = kept.at(-1);
  const isOpen = last !== undefined && !isProven(last);
  if (isOpen) kept.pop();
  const accounts = isOpen ? [...last.accounts, ...joined] : [...joined];
  return [...kept, ...cutAccounts(accounts).map((cut) => ({ accounts: cut, fingerprint: null }))];
}

function without(part: HoldingPart, left: ReadonlySet<Address>): HoldingPart[] {
  const accounts = part.accounts.filter((account) => !left.has(account));
  if (accounts.length === part.accounts.length) return [part];
  return accounts.length === 0 ? [] : [{ accounts, fingerprint: null }];
}

/**
 * Reads the parts whose fingerprint is not what the node shows, and passes what their accounts hold to `onHolding`. Where there are
 * several parts, one that has not changed costs an answer of one word, and nothing is decoded.
 *
 * @returns the parts with their fingerprints; those that have not changed are the same objects
 */
export function readHoldingParts(
  client: ChainClient,
  source: HoldingSource,
  parts: readonly HoldingPart[],
  onHolding: (account: Address, holding: Holding) => void,
): Promise<HoldingPart[]> {
  return mapCalls(
    parts,
    async (part) => {
      const { accounts, fingerprint } = part;
      // A single part is read at once: to ask for its hash first would be one more request wherever something has changed.
      const isComparable = parts.length > 1 && fingerprint !== null;
      if (isComparable && (await readHoldingsHash(client, { ...source, accounts })) === fingerprint) return part;
      const { rows, answer } = await readHoldingRows(client, { ...source, accounts });
      for (const [account, holding] of rows) onHolding(account, holding);
      return { accounts, fingerprint: answer && (await hashOf(answer)) };
    },
    PARTS_AT_ONCE,
  );
}

/** The hash that `HOLDINGS_HASH_PROGRAM` returns for the same words. */
async function hashOf(answer: Hex): Promise<Hex> {
  const hash = await crypto.subtle.digest("SHA-256", Uint8Array.fromHex(answer.slice(2)));
  return `0x${new Uint8Array(hash).toHex()}`;
}
