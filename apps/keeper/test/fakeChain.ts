import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import type { Broadcast, MinedRemit } from "@dueday/keeper/node/keeperNode";
import { type Address, getAddress, type Hex, keccak256, numberToHex, parseTransaction } from "viem";
import {
  BLOCK_MS,
  type Block,
  createFakeNode,
  FIRST_DAY,
  GAS,
  missing,
  type PoolTransaction,
  type State,
} from "./fakeNode";
import { CONTRACT, logsOf, type Page } from "./fakeRemit";

const RIVAL = getAddress(`0x${"99".repeat(20)}`);
export const CHAIN_ID = 31337;
const DAY_MS = 86_400_000;
/** A test that waits longer has a keeper that does not end. */
const MOST_MS = 7 * DAY_MS;

export type FakeChainOptions = {
  pages: readonly Page[];
  from: Address;
  balance?: bigint;
  /** Base fee of the block at a time, wei per gas; milliseconds of the chain's clock. */
  baseFee?: (milliseconds: number) => bigint;
  /** Whether the node shows the transactions that wait in its pool. */
  showsPool?: boolean;
  /** What a mined remit() does, although its simulation succeeds: `as planned` by default. */
  misbehaviour?: (page: Page) => Misbehaviour;
  /** Whether a transaction of the keeper is left out of the block at a time; milliseconds of the chain's clock. */
  isHeldBack?: (nonce: number, milliseconds: number) => boolean;
};

/** `earns nothing`: it pays no fee. `changes nothing`: it succeeds without any payment. */
export type Misbehaviour = "as planned" | "reverts" | "earns nothing" | "changes nothing";

export type FakeChain = ReturnType<typeof createFakeChain>;

/**
 * One chain with a backlog, one keeper's transactions and a clock, in memory: blocks are mined while somebody sleeps. It has the rules of
 * a node that matter here: nonces, replacement by 10 % of both fees, inclusion by price, balances, reorganisations.
 */
export function createFakeChain({
  pages,
  from,
  balance = 10n ** 18n,
  baseFee = () => 10n,
  showsPool = true,
  misbehaviour = () => "as planned",
  isHeldBack = () => false,
}: FakeChainOptions) {
  let now = 0;
  let pool: PoolTransaction[] = [];
  const blocks: Block[] = [{ state: { done: 0, nonce: 0, balance }, receipts: [], senders: new Map() }];
  /** Everything that was ever signed. */
  const signed: Hex[] = [];

  const head = (): Block => blocks.at(-1) ?? missing();
  const wall = () => (FIRST_DAY + pages.length) * DAY_MS + now;
  const closedDays = (done: number) => pages.slice(0, done).filter(({ closes }) => closes).length;

  function execute(state: State, transaction: PoolTransaction, { number, index }: Place): MinedRemit {
    const page = pages[state.done];
    const behaviour = page === undefined || transaction.from !== from ? "as planned" : misbehaviour(page);
    const success = !transaction.isRemit || (page !== undefined && behaviour !== "reverts");
    const price = minimum(transaction.maxFee, baseFee(number * BLOCK_MS) + transaction.tip);
    const settles = success && transaction.isRemit && page !== undefined && behaviour !== "changes nothing";
    const earned = page === undefined || behaviour === "earns nothing" ? 0n : page.fee;
    const logs = settles ? logsOf({ ...page, fee: earned }, FIRST_DAY + closedDays(state.done), transaction.from) : [];
    if (settles) state.done++;
    const costWei = GAS * price;
    if (transaction.from === from) {
      state.nonce++;
      state.balance -= costWei;
    }
    return {
      hash: transaction.hash,
      success,
      blockNumber: BigInt(number),
      index,
      gasUsed: GAS,
      costWei,
      logs,
    };
  }

  function mine(): void {
    const number = blocks.length;
    if (pool.length === 0) {
      blocks.push({ state: head().state, receipts: [], senders: new Map() });
      return;
    }
    const state = { ...head().state };
    const receipts: MinedRemit[] = [];
    const senders = new Map<Hex, PoolTransaction>();
    for (const transaction of [...pool].sort((a, b) => Number(b.tip - a.tip))) {
      const isOwn = transaction.from === from;
      if (isOwn && (transaction.nonce !== state.nonce || isHeldBack(transaction.nonce, now))) continue;
      if (transaction.maxFee < baseFee(number * BLOCK_MS)) continue;
      receipts.push(execute(state, transaction, { number, index: receipts.length }));
      senders.set(transaction.hash, transaction);
    }
    pool = pool.filter(
      ({ hash, nonce, from: sender }) => !senders.has(hash) && (sender !== from || nonce >= state.nonce),
    );
    blocks.push({ state, receipts, senders });
  }

  function pass(milliseconds: number): void {
    const end = now + milliseconds;
    for (let next = blocks.length * BLOCK_MS; next <= end; next = blocks.length * BLOCK_MS) {
      now = next;
      mine();
    }
    now = end;
  }

  function accept(raw: Hex): Broadcast {
    const {
      nonce = 0,
      maxFeePerGas: maxFee = 0n,
      maxPriorityFeePerGas: tip = 0n,
      gas = 0n,
      to,
      data,
      value,
    } = parseTransaction(raw);
    signed.push(raw);
    const hash = keccak256(raw);
    const isRemit = to?.toLowerCase() === CONTRACT.toLowerCase() && data === encodeRemit() && (value ?? 0n) === 0n;
    if (pool.some((each) => each.hash === hash)) return "known";
    if (nonce < head().state.nonce) return "nonce_too_low";
    if (head().state.balance < gas * maxFee) return "insufficient_funds";
    const rival = pool.find((each) => each.from === from && each.nonce === nonce);
    if (rival !== undefined) {
      const isHigher = maxFee * 10n >= rival.maxFee * 11n && tip * 10n >= rival.tip * 11n;
      if (!isHigher) return "underpriced";
      pool = pool.filter((each) => each !== rival);
    }
    pool.push({ hash, nonce, maxFee, tip, gas, isRemit, from });
    return "accepted";
  }

  const allReceipts = () => blocks.flatMap(({ receipts }) => receipts);
  const nextPages = (count: number, state = head().state) => pages.slice(state.done, state.done + count);

  function simulate(count: number) {
    let { done } = head().state;
    return nextPages(count).map((page) => {
      const logs = logsOf(page, FIRST_DAY + closedDays(done++), from);
      return { ...parseRemitLogs(logs, { contract: CONTRACT, caller: from }), gas: GAS };
    });
  }

  const node = createFakeNode({
    blocks,
    pages,
    from,
    showsPool,
    accept,
    simulate,
    closedDays,
    baseFee: () => baseFee((blocks.length - 1) * BLOCK_MS),
    pool: () => pool,
    timeOf: (number) => Math.floor((wall() - now + number * BLOCK_MS) / 1000),
  });

  return {
    node,
    pages,
    signed,
    pass,
    clock: {
      elapsed: () => now,
      wall,
      async sleep(milliseconds: number) {
        if (now > MOST_MS) throw new Error("the keeper does not come to an end");
        pass(milliseconds);
      },
    },
    state: () => head().state,
    simulate,
    blockNumber: () => BigInt(blocks.length - 1),
    nextUncheckedDay: () => FIRST_DAY + closedDays(head().state.done),
    own: () =>
      allReceipts().filter((receipt) => blocks.some(({ senders }) => senders.get(receipt.hash)?.from === from)),
    /** The last blocks are replaced by empty ones; their transactions wait again, or are lost. */
    reorganise(depth: number, isLost: boolean) {
      const count = Math.min(depth, blocks.length - 1);
      const removed = blocks.splice(blocks.length - count);
      if (!isLost) pool.push(...removed.flatMap(({ senders }) => [...senders.values()]));
      for (let number = 0; number < count; number++) {
        blocks.push({ state: { ...head().state }, receipts: [], senders: new Map() });
      }
    },
    dropPool() {
      pool = [];
    },
    /** Another program with the same key sends a transfer, which takes the next nonce. */
    sendForeign() {
      const { nonce } = head().state;
      pool = pool.filter((each) => each.from !== from);
      pool.push({
        hash: keccak256(numberToHex(1_000_000 + signed.length)),
        nonce,
        maxFee: 10n ** 9n,
        tip: 99n,
        gas: 21_000n,
        isRemit: false,
        from,
      });
    },
    /** Another keeper sends remit(). */
    sendRival(tip = 50n) {
      const hash = keccak256(numberToHex(2_000_000 + signed.length + pool.length + blocks.length));
      pool.push({ hash, nonce: 0, maxFee: 10n ** 9n, tip, gas: GAS, isRemit: true, from: RIVAL });
    },
    setBalance(wei: bigint) {
      head().state.balance = wei;
    },
  };
}

/** Of a transaction. */
type Place = { number: number; index: number };

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
