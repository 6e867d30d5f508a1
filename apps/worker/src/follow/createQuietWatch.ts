import type { Header } from "@dueday/chain/block/parseHeader";
import { readApprovedTokens } from "@dueday/chain/reads/readApprovedTokens";
import { readProtocolState } from "@dueday/chain/reads/readProtocolState";
import { confirmSnapshots } from "@dueday/db/queries/confirmSnapshots";
import type { ChainContext } from "../context";
import type { ChainUpdate } from "./createFollower";
import { createTokenWatch } from "./createTokenWatch";
import { needsScan } from "./needsScan";

/** Decides after each new head whether the snapshots are still true for it. */
export type QuietWatch = {
  /** Notes a new head, and starts a check where one is due. Resolves when this is done; never rejects. */
  note(update: ChainUpdate): Promise<void>;
};

export type QuietWatchOptions = {
  context: Pick<ChainContext, "chain" | "client" | "stateCache" | "database" | "clock" | "logger">;
  /** Requests scans of this block or a later one. */
  requestScans(head: Header): Promise<void>;
};

/**
 * From one check of the tokens to the next: blocks and time; time between two checks of settings, between two confirmations, and between
 * scans where no check of the tokens is possible.
 */
const TIMES = {
  fresh: { everyBlocks: 2n, everyMs: 0, settingsMs: 60_000, confirmMs: 10_000, unknownMs: 15_000 },
  frugal: { everyBlocks: 1n, everyMs: 55_000, settingsMs: 300_000, confirmMs: 50_000, unknownMs: 300_000 },
};

/**
 * Between the scans, checks whether a token of the open book or a setting changed: then it requests scans; else the snapshots are confirmed at the
 * new head, without reading anything else. Blocks with events of the contract are scanned anyway.
 */
export function createQuietWatch({ context, requestScans }: QuietWatchOptions): QuietWatch {
  const { chain, client, stateCache, database, clock, logger } = context;
  const tokens = createTokenWatch(context);
  const times = TIMES[chain.rpcProfile];
  /** Snapshots of earlier blocks may be wrong. */
  let changedAt: bigint | null = null;
  let checked: { number: bigint; at: number } | null = null;
  let settings = { texts: new Map<string, string>(), at: Number.NEGATIVE_INFINITY };
  let confirmedAt = 0;
  let scannedAt = 0;
  let isBusy = false;

  /** What admins of the protocol and of tokens set, without an event. */
  async function haveSettingsChanged(block: Header, now: number): Promise<boolean> {
    if (now - settings.at < times.settingsMs) return false;
    const { contract } = chain;
    const addresses = [...new Set([...chain.tokens, ...(stateCache.book()?.holders.keys() ?? [])])];
    const [protocol, approved] = await Promise.all([
      readProtocolState(client, { contract, block }),
      readApprovedTokens(client, { contract, tokens: addresses, block }),
    ]);
    const texts = new Map([["protocol", JSON.stringify(protocol)]]);
    for (const token of approved.tokens) texts.set(token.address, JSON.stringify(token));
    const before = settings.texts;
    settings = { texts, at: now };
    // A token that the book has only now came with an event, after which everything was read.
    return [...texts].some(([name, text]) => before.has(name) && before.get(name) !== text);
  }

  async function check(head: Header): Promise<void> {
    const now = performance.now();
    const verdict = (await haveSettingsChanged(head, now)) ? "changed" : await tokens.check(head);
    if (verdict === "changed" || (verdict === "unknown" && now - scannedAt >= times.unknownMs)) {
      changedAt = head.number;
      scannedAt = now;
      return requestScans(head);
    }
    if (verdict !== "same" || changedAt === null || now - confirmedAt < times.confirmMs) return;
    confirmedAt = now;
    const { chainId, contract } = chain;
    await confirmSnapshots(database, { chainId, contract, from: changedAt, head, confirmedAt: new Date(clock()) });
  }

  return {
    async note(update) {
      const { head } = update;
      if (needsScan(update)) {
        // The follower has requested its scans.
        changedAt = head.number;
        scannedAt = performance.now();
      }
      const now = performance.now();
      const isDue =
        checked === null || (head.number - checked.number >= times.everyBlocks && now - checked.at >= times.everyMs);
      if (isBusy || !isDue) return;
      isBusy = true;
      checked = { number: head.number, at: now };
      try {
        await check(head);
      } catch (error) {
        // The next check makes up for it.
        logger.debug({ err: error }, "the tokens of the open book can't be checked");
      } finally {
        isBusy = false;
      }
    },
  };
}
