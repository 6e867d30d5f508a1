import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { upstreamError } from "@dueday/chain/client/upstreamError";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { IndexedBlock, IndexedLog, SubscriptionTerms } from "@dueday/db/eventIndex/indexedLog";
import { type LogBatch, storeLogs } from "@dueday/db/indexing/storeLogs";
import type { IndexContext } from "./indexContext";
import { readEventFacts } from "./readEventFacts";

/** Logs of the blocks after `after` up to `checkpoint`, as fetched. */
export type FetchedLogs = {
  after: IndexedBlock | null;
  checkpoint: IndexedBlock;
  /** Known blocks among them, `checkpoint` included. */
  blocks: readonly IndexedBlock[];
  logs: readonly IndexedLog[];
  /** A block whose state has the subscriptions that these logs create: the last of the blocks, or, where they are final, any later block. */
  stateBlock: ChainBlock;
  headNumber: number;
  /** Time of the head, unix seconds; null: the head is `stateBlock`. */
  headTimestamp?: number | null;
  /** Every block was final when its logs were read. */
  isFinal?: boolean;
  /** How many blocks the node accepts in one request. */
  rangeBlocks?: number;
};

/** What is stored with logs, but not contained in them. */
export type LogFacts = Awaited<ReturnType<typeof readLogFacts>>;

/** Reads what these logs do not contain: terms, tokens and receipts. */
export async function readLogFacts(
  context: IndexContext,
  { logs, stateBlock }: Pick<FetchedLogs, "logs" | "stateBlock">,
) {
  const [known, events] = await Promise.all([
    readTermsAndTokens(context, logs, stateBlock),
    readEventFacts(context, { logs, stateBlock, finality: context.finality.known() }),
  ]);
  return { ...known, events };
}

/** The facts of consecutive ranges, at least one. */
export function joinFacts(ranges: readonly LogFacts[]): LogFacts {
  const last = ranges.at(-1);
  if (last === undefined) throw new RangeError("joinFacts needs at least one range");
  return {
    terms: ranges.flatMap(({ terms }) => terms),
    tokens: [...new Map(ranges.flatMap(({ tokens }) => tokens.map((each) => [each.token, each]))).values()],
    events: { ...last.events, receipts: new Map(ranges.flatMap(({ events }) => [...events.receipts])) },
  };
}

/**
 * Reads what the logs do not contain, and stores both.
 *
 * @returns false when `after` is no longer the checkpoint of the index.
 */
export async function applyLogs(context: IndexContext, fetched: FetchedLogs): Promise<boolean> {
  const { chain, database, progress } = context;
  const stored = await storeLogs(database, chain, toBatch(context, fetched, await readLogFacts(context, fetched)));
  if (stored) progress.advance(fetched.checkpoint.number, fetched.logs.length);
  return stored;
}

/** The batch to store, of logs and of what they do not contain. */
export function toBatch({ progress, clock, finality }: IndexContext, fetched: FetchedLogs, facts: LogFacts): LogBatch {
  const { stateBlock, headTimestamp, ...rest } = fetched;
  return {
    ...rest,
    ...facts,
    headTimestamp: headTimestamp ?? Number(stateBlock.timestamp),
    finality: finality.known(),
    blocksPerSecond: progress.blocksPerSecond(),
    confirmedAt: new Date(clock()),
  };
}

/** What these events do not contain: the terms of new subscriptions, and the tokens. */
export async function readTermsAndTokens(context: IndexContext, logs: readonly IndexedLog[], block: ChainBlock) {
  const [terms, tokens] = await Promise.all([readTerms(context, logs, block), readTokens(context, logs, block)]);
  return { terms, tokens };
}

async function readTerms(
  { chainData }: IndexContext,
  logs: readonly IndexedLog[],
  block: ChainBlock,
): Promise<SubscriptionTerms[]> {
  const created = logs.flatMap(({ event, blockNumber }) =>
    event.event === "SubLog" && event.code === subLogCode.Create ? [{ id: event.id, createdBlock: blockNumber }] : [],
  );
  if (created.length === 0) return [];
  const known = await chainData.readTerms(
    created.map(({ id }) => id),
    block,
  );
  return created.map(({ id, createdBlock }) => {
    const terms = known.get(id);
    // A node that has returned the Create event, but no record of the subscription, is behind: a retry, or another node, has it.
    if (terms === undefined) throw upstreamError({ kind: "missing_block" }, "eth_call");
    return { id, createdBlock, frequency: terms.frequency, dueDay: terms.dueDay };
  });
}

async function readTokens({ chainData }: IndexContext, logs: readonly IndexedLog[], block: ChainBlock) {
  const tokens = new Set(logs.flatMap(({ event }) => (event.event === "SubLog" ? [event.token] : [])));
  return tokens.size === 0 ? [] : chainData.readTokens([...tokens], block);
}
