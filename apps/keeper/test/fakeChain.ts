import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import type { Broadcast, MinedRemit } from "@dueday/keeper/node/keeperNode";
import { type Address, getAddress, type Hex, keccak256, numberToHex, parseTransaction } from "viem";
import { type Block, createFakeNode, FIRST_DAY, GAS, missing, type PoolTransaction, type State } from "./fakeNode";
import { CONTRACT, logsOf, type Page } from "./fakeRemit";

const RIVAL = getAddress(`0x${"99".repeat(20)}`);
export const CHAIN_ID = 31337;
const DAY_MS = 86_400_000;
export const BLOCK_MS = 2_000;
/** A test that waits longer has a keeper that does not end. */
const MOST_MS = 7 * DAY_MS;

export type FakeChainOptions = {
  pages: readonly Page[];
  from: Address;
  balance?: bigint;
  /** Base fee of a block, wei per gas. */
  baseFee?: (block: number) => bigint;
  /** Whether the node shows the transactions that wait in its pool. */
  showsPool?: boolean;
};

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
}: FakeChainOptions) {
  let now = 0;
  let salt = 0;
  let pool: PoolTransaction[] = [];
  const hashOf = (number: number) => keccak256(numberToHex(number * 1_000 + salt, { size: 32 }));
  const blocks: Block[] = [
    { hash: hashOf(0), state: { done: 0, nonce: 0, balance }, receipts: [], senders: new Map() },
  ];
  /** Everything that was ever signed. */
  const signed: Hex[] = [];

  const head = (): Block => blocks.at(-1) ?? missing();
  const wall = () => (FIRST_DAY + pages.length) * DAY_MS + now;
  const closedDays = (done: number) => pages.slice(0, done).filter(({ closes }) => closes).length;

  function execute(state: State, transaction: PoolTransaction, number: number): MinedRemit {
    const page = pages[state.done];
    const success = !transaction.isRemit || page !== undefined;
    const price = minimum(transaction.maxFee, baseFee(number) + transaction.tip);
    const logs =
      transaction.isRemit && page !== undefined
        ? logsOf(page, FIRST_DAY + closedDays(state.done), transaction.from)
        : [];
    if (transaction.isRemit && page !== undefined) state.done++;
    const costWei = GAS * price;
    if (transaction.from === from) {
      state.nonce++;
      state.balance -= costWei;
    }
    return {
      hash: transaction.hash,
      success,
      blockNumber: BigInt(number),
      blockHash: hashOf(number),
      gasUsed: GAS,
      costWei,
      logs,
    };
  }

  function mine(): void {
    const number = blocks.length;
    const state = { ...head().state };
    const receipts: MinedRemit[] = [];
    const senders = new Map<Hex, PoolTransaction>();
    for (const transaction of [...pool].sort((a, b) => Number(b.tip - a.tip))) {
      const isNext = transaction.from !== from || transaction.nonce === state.nonce;
      if (!isNext || transaction.maxFee < baseFee(number)) continue;
      receipts.push(execute(state, transaction, number));
      senders.set(transaction.hash, transaction);
    }
    pool = pool.filter(
      ({ hash, nonce, from: sender }) => !senders.has(hash) && (sender !== from || nonce >= state.nonce),
    );
    blocks.push({ hash: hashOf(number), state, receipts, senders });
  }

  function pass(milliseconds: number): void {
    const end = now + milliseconds;
    for (let next = blocks.length * BLOCK_MS; next <= end; next = blocks.length * BLOCK_MS) mine();
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
    ...{ blocks, pages, from, baseFee, showsPool, accept, simulate, closedDays },
    pool: () => pool,
    time: () => Math.floor(wall() / 1000),
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
      salt++;
      if (!isLost) pool.push(...removed.flatMap(({ senders }) => [...senders.values()]));
      for (let number = 0; number < count; number++) {
        blocks.push({ hash: hashOf(blocks.length), state: { ...head().state }, receipts: [], senders: new Map() });
      }
    },
    dropPool() {
      pool = [];
    },
    /** Another program with the same key sends a transfer of its own, which takes the next nonce. */
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

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
