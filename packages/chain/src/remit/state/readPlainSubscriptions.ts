import { toFrequency } from "@dueday/core/calendar/frequency";
import type { RemitSubscription } from "@dueday/core/remit/state";
import { nextTurn } from "@dueday/core/runInSlices";
import { type Address, type Hex, pad, size } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { mapCalls } from "../../client/mapCalls";
import { checksummed } from "../../reads/decodeSubscriberRows";
import { runProgram } from "./runProgram";
import { SUBSCRIPTION_WORDS, SUBSCRIPTIONS_PROGRAM } from "./subscriptionsProgram";

/** Ids of one eth_call: three views take some 40,000 gas, of the 50 million that nodes allow. */
const CHUNK = 500;
/** Calls under way at a time: an answer has 350 kB. */
const AT_ONCE = 24;
/** An unused address that has the program's code for the length of one call. */
const READER: Address = "0x00000000000000000000000000000000000d0e04";
const DIGITS = 64;
/** Fewer ids than this are read as fast by views. */
const FEWEST = 50;

export type ReadPlainSubscriptionsParameters = { contract: Address; ids: readonly Hex[]; block: ChainBlock };

/**
 * Reads subscriptions with one subscriber or none and an empty unsubscribed list, 500 in one eth_call, by a program that the request
 * carries, and passes each to `onSubscription`.
 *
 * @returns the ids that have to be read by views: others, and all where the node does not run the program
 */
export async function readPlainSubscriptions(
  client: ChainClient,
  { contract, ids, block }: ReadPlainSubscriptionsParameters,
  onSubscription: (subscription: RemitSubscription) => void,
): Promise<Hex[]> {
  if (ids.length < FEWEST) return [...ids];
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) =>
    ids.slice(index * CHUNK, (index + 1) * CHUNK),
  );
  const names = new Map<string, Address>();
  const others = await mapCalls(
    chunks,
    async (chunk) => {
      const data = `0x${pad(contract).slice(2)}${chunk.map((id) => id.slice(2)).join("")}` as const;
      const answer = await runProgram(client, { at: READER, code: SUBSCRIPTIONS_PROGRAM, data, block });
      // Many answers arrive together, and each takes some milliseconds.
      await nextTurn();
      if (answer === null || size(answer) !== chunk.length * SUBSCRIPTION_WORDS * 32) return chunk;
      return chunk.filter((id, index) => {
        const subscription = decodeRow(id, answer.slice(2 + index * SUBSCRIPTION_WORDS * DIGITS), names);
        if (subscription !== null) onSubscription(subscription);
        return subscription === null;
      });
    },
    AT_ONCE,
  );
  return others.flat();
}

/** Null for a row that is not plain, or not of this protocol. @param names addresses that many rows share, by their digits */
function decodeRow(id: Hex, row: string, names: Map<string, Address>): RemitSubscription | null {
  const word = (index: number) => row.slice(index * DIGITS, (index + 1) * DIGITS);
  const number = (index: number) => BigInt(`0x${word(index)}`);
  const [length, frequency, dueDay, offset, count] = [0, 5, 6, 7, 8].map((index) => number(index));
  const token = addressOf(word(3), names);
  const isPlain = length === 0n && offset === 32n && count !== undefined && count <= 1n && token !== null;
  const provider = addressOf(word(2), names);
  if (!isPlain || provider === null || frequency === undefined || frequency > 3n) return null;
  const subscriber = count === 1n ? addressOf(word(9)) : null;
  if (count === 1n && subscriber === null) return null;
  return {
    id,
    amount: number(1),
    provider,
    token,
    cancelled: number(4) !== 0n,
    frequency: toFrequency(frequency),
    dueDay: Number(dueDay),
    subscribers: subscriber === null ? [] : [{ subscriber, feeBalance: number(10) }],
    unsubscribed: [],
  };
}

const PADDING = "0".repeat(24);
const NOBODY = "0".repeat(40);

function addressOf(word: string, names?: Map<string, Address>): Address | null {
  const digits = word.slice(PADDING.length).toLowerCase();
  if (!word.startsWith(PADDING) || digits === NOBODY) return null;
  const known = names?.get(digits);
  if (known !== undefined) return known;
  const address = checksummed(digits);
  names?.set(digits, address);
  return address;
}
