import { MULTICALL_PROGRAM } from "@dueday/chain/reads/multicallProgram";
import { FINGERPRINT_PROGRAM } from "@dueday/chain/remit/state/fingerprintProgram";
import { HOLDINGS_HASH_PROGRAM, HOLDINGS_PROGRAM } from "@dueday/chain/remit/state/holdingsProgram";
import { SUBSCRIPTIONS_PROGRAM } from "@dueday/chain/remit/state/subscriptionsProgram";
import { WORDS_PROGRAM } from "@dueday/chain/remit/state/wordsProgram";
import { type Hex, numberToHex } from "viem";
import type { Change } from "./applyChange";
import { aggregate, type CallView, fingerprintOf, hashHoldings, readHoldings, readSubscriptions } from "./callPrograms";
import type { ChainSettings } from "./chainSettings";
import { type Block, createBlocks, headerOf } from "./createBlocks";
import type { Book } from "./createBook";
import { accessList, readListWords, storageWord } from "./privateStorage";
import { readToken, readView } from "./readViews";
import { simulateRemits } from "./simulateRemits";

export type BigChainOptions = {
  book: Book;
  settings: ChainSettings;
  /** The first block, which has what the book holds already. */
  head: { number: number; timestamp: number };
};

export type BigChain = {
  url: string;
  /** Mines a block with these changes; a second after the last by default. */
  mine(changes: readonly Change[], timestamp?: number): void;
  head(): Block;
  /** What the node returns for one request. */
  answer(method: string, params: readonly unknown[]): RpcAnswer;
  stop(): Promise<void>;
};

type RpcAnswer = { result: unknown } | { error: { code: number; message: string; data?: Hex } };
type Request = { id: number; method: string; params: unknown[] };
type Call = { to: string; data?: Hex };

const GWEI = 1_000_000_000;
const LONGEST_REQUEST = 2 ** 24;

/** Programs that a request of our client carries, by their code. */
const PROGRAMS: Readonly<Record<string, (data: Hex, view: CallView) => Hex>> = {
  [MULTICALL_PROGRAM]: aggregate,
  [HOLDINGS_PROGRAM]: readHoldings,
  [HOLDINGS_HASH_PROGRAM]: hashHoldings,
  [FINGERPRINT_PROGRAM]: fingerprintOf,
  [SUBSCRIPTIONS_PROGRAM]: readSubscriptions,
};

/**
 * A JSON-RPC node in this process for a contract with up to a million subscriptions: it answers what our client asks, from arrays and by the
 * model of remit(). A transaction of it is a `Change`; it mines no remit(). `bigChain.test.ts` compares it with anvil.
 */
export function startBigChain({ book, settings: initial, head }: BigChainOptions): BigChain {
  const { chainId, contract, token } = initial;
  const blocks = createBlocks(book, initial, head);

  function call({ to, data: sent = "0x" }: Call, { number, settings }: Block, overrides: object): RpcAnswer {
    // Checksummed addresses stand in it too.
    const data = lowerCase(sent);
    const source = { book, settings, block: number };
    const view: CallView = (target, input) => {
      if (target === contract.toLowerCase()) return readView(source, input) ?? "revert";
      return (target === token.address.toLowerCase() ? readToken(source, input) : null) ?? "0x";
    };
    const [override] = Object.values(overrides);
    if (override?.code === WORDS_PROGRAM) return { result: readListWords(source, data) };
    if (override !== undefined) {
      const program = PROGRAMS[override.code];
      if (program === undefined) throw new Error("the chain does not know this program");
      return { result: program(data, view) };
    }
    const result = view(to.toLowerCase(), data);
    if (result === "revert") return { error: { code: 3, message: "execution reverted", data: "0x" } };
    return result === "out of gas" ? { error: { code: -32000, message: "out of gas" } } : { result };
  }

  function answer(method: string, params: readonly unknown[]): RpcAnswer {
    const [asked] = params;
    switch (method) {
      case "eth_chainId":
        return { result: numberToHex(chainId) };
      case "eth_blockNumber":
        return { result: numberToHex(blocks.newest().number) };
      case "eth_gasPrice":
      case "eth_maxPriorityFeePerGas":
        return { result: numberToHex(GWEI) };
      case "eth_getCode": {
        const hasCode = [contract, token.address].some((each) => each.toLowerCase() === String(asked).toLowerCase());
        return { result: hasCode ? "0x00" : "0x" };
      }
      case "eth_getBlockByNumber":
      case "eth_getBlockByHash": {
        const block = blocks.find(asked);
        return { result: block === undefined ? null : headerOf(block) };
      }
      case "eth_getLogs": {
        const { blockHash, fromBlock, toBlock } = Object(asked);
        const [from, to] = [blocks.find(blockHash ?? fromBlock), blocks.find(blockHash ?? toBlock)];
        return from === undefined || to === undefined ? missingBlock() : { result: blocks.logs(from, to) };
      }
      default:
        return answerAt(method, params);
    }
  }

  /** The methods about the state after a block, with parameters as our client sends them. */
  function answerAt(method: string, params: readonly unknown[]): RpcAnswer {
    const [asked, second, third] = params;
    const block = blocks.find(method === "eth_getStorageAt" ? third : second);
    if (block === undefined) return missingBlock();
    switch (method) {
      case "eth_call":
        return call(asked as Call, block, Object(third));
      case "eth_getStorageAt":
        return { result: storageWord({ book, settings: block.settings, block: block.number }, BigInt(String(second))) };
      case "eth_createAccessList": {
        const { to, data = "0x" } = asked as Call;
        return { result: accessList(to, data) };
      }
      case "eth_simulateV1": {
        const { blockStateCalls } = asked as { blockStateCalls: Parameters<typeof simulateRemits>[1] };
        return { result: simulateRemits({ book, settings: block.settings, block: block.number }, blockStateCalls) };
      }
      default:
        return { error: { code: -32601, message: `the method ${method} does not exist` } };
    }
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    maxRequestBodySize: LONGEST_REQUEST,
    async fetch(request) {
      // Our own client sends no other form.
      const body = (await request.json()) as Request | Request[];
      const one = ({ id, method, params }: Request) => ({ jsonrpc: "2.0", id, ...answer(method, params) });
      return Response.json(Array.isArray(body) ? body.map(one) : one(body));
    },
  });

  return {
    url: server.url.href,
    mine: (changes, timestamp = blocks.newest().timestamp + 1) => blocks.mine(changes, timestamp),
    head: blocks.newest,
    answer,
    stop: () => server.stop(true),
  };
}

function lowerCase(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}

function missingBlock(): RpcAnswer {
  return { error: { code: -32000, message: "header not found" } };
}
