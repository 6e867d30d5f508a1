import { expect, test } from "bun:test";
import { createFakeChain, type FakeChain } from "@dueday/keeper/test/fakeChain";
import { COST, type Page } from "@dueday/keeper/test/fakeRemit";
import { account, startFakeKeeper } from "@dueday/keeper/test/startFakeKeeper";
import { wrapNode } from "@dueday/keeper/test/wrapNode";
import { testDepth } from "@dueday/test-support/testDepth";
import { parseTransaction } from "viem";
import { exitCode, KeeperError } from "../keeperError";
import type { KeeperNode } from "../node/keeperNode";

const RUNS = testDepth === 1 ? 100 : 200 * testDepth;
const from = account.address;
const MOST_STARTS = 60;

class Killed extends Error {}

/** Numbers from 0 to 1, the same for the same seed. */
function numbersOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

type Faults = { number: () => number; chain: FakeChain; callsToLive: number; isRough: boolean };

/**
 * A node on which the keeper is killed at a certain call, before or after the call has its effect. A rough one also loses answers, drops
 * its pool, and is reorganised now and then.
 */
function deadly({ number, chain, callsToLive, isRough }: Faults): KeeperNode {
  let left = callsToLive;
  return wrapNode(chain.node, async (name, call) => {
    const isLast = --left === 0;
    if (isLast && number() < 0.5) throw new Killed();
    if (isRough && number() < 0.02) chain.dropPool();
    if (isRough && number() < 0.01) chain.reorganise(1 + Math.floor(number() * 2), number() < 0.5);
    const isLost = isRough && number() < 0.05;
    const answer = await call();
    if (isLast) throw new Killed();
    if (!isLost) return answer;
    if (name === "broadcast") return "unreachable";
    throw new KeeperError(exitCode.UNREACHABLE, "the node can't be reached");
  });
}

/** Kills keepers on one chain until one of them finds everything settled. @returns how many were started */
async function killUntilSettled(seed: number): Promise<{ chain: FakeChain; starts: number }> {
  const number = numbersOf(seed);
  const pages = Array.from({ length: 2 + Math.floor(number() * 4) }, (_, index): Page => {
    return {
      payments: 1 + Math.floor(number() * 4),
      fee: COST + BigInt(Math.floor(number() * 1_000)),
      closes: index % 2 === 0,
    };
  });
  const spikeAtMs = 4_000 + Math.floor(number() * 20_000);
  const baseFee = (ms: number) => (ms >= spikeAtMs && ms < spikeAtMs + 50_000 ? 40n : 10n);
  const chain = createFakeChain({ from, pages, baseFee, showsPool: number() < 0.5 });
  const isRough = number() < 0.5;
  for (let starts = 1; starts <= MOST_STARTS; starts++) {
    const callsToLive = starts === MOST_STARTS ? Number.POSITIVE_INFINITY : 1 + Math.floor(number() * 60);
    const stop = new AbortController();
    const node = deadly({ number, chain, callsToLive, isRough: isRough && starts < MOST_STARTS / 2 });
    const { sleep } = chain.clock;
    try {
      chain.clock.sleep = async (milliseconds) => {
        await sleep(milliseconds);
        if (chain.state().done === pages.length) stop.abort();
      };
      const { keep } = startFakeKeeper({
        chain,
        node,
        random: number,
        options: { once: false, signal: stop.signal },
      });
      await keep();
      return { chain, starts };
    } catch (error) {
      if (!(error instanceof Killed) && !(error instanceof KeeperError)) throw error;
      // A supervisor starts it again after a moment.
      chain.pass(Math.floor(number() * 5_000));
    } finally {
      chain.clock.sleep = sleep;
    }
  }
  throw new Error("the last start was not to be killed");
}

test(
  `killed at every point of sending, ${RUNS} times: everything is settled once, nothing reverts, every signature is remit() within the cap`,
  async () => {
    let kills = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const { chain, starts } = await killUntilSettled(seed);
      kills += starts - 1;
      const own = chain.own();
      const facts = {
        seed,
        settled: chain.state().done,
        mined: own.length,
        reverted: own.filter(({ success }) => !success).length,
        nonce: chain.state().nonce,
      };
      const { length } = chain.pages;
      expect(facts).toEqual({ seed, settled: length, mined: length, reverted: 0, nonce: length });
      for (const raw of chain.signed) {
        const { to, value = 0n, data, maxFeePerGas = 0n, chainId } = parseTransaction(raw);
        expect({ to: to?.toLowerCase(), value, data, chainId }).toEqual({
          to: `0x${"c0".repeat(20)}`,
          value: 0n,
          data: "0x7507ba39",
          chainId: 31337,
        });
        expect(maxFeePerGas).toBeLessThanOrEqual(1_000n);
      }
    }
    console.log(`${RUNS} backlogs settled by keepers that were killed ${kills} times`);
    expect(kills).toBeGreaterThan(RUNS);
  },
  60_000 * testDepth,
);
