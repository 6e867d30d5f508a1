import { protocolAbi } from "@dueday/core/abi/protocol";
import { protocolEventTopics } from "@dueday/core/events/decodeProtocolEvent";
import { type Address, encodeAbiParameters, encodeFunctionResult, type Hex, keccak256, numberToHex, pad } from "viem";

export const CONTRACT: Address = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
export const TOKEN: Address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/** A SubLog event of a stub chain. */
export type StubLog = { id: number; provider: number; subscriber: number; amount: bigint; code: number };

/** Its logs are as a node gives them: they are asked for often, and encoding them takes long. */
type StubBlock = Placed & { parentHash: Hex; logs: readonly RawLog[] };
type Placed = { number: number; hash: Hex; timestamp: number };
type RawLog = ReturnType<typeof rawLog>;

const START_TIME = 1_770_000_000;
const [SUB_LOG_SELECTOR = "0x"] = protocolEventTopics;

/** A chain in memory with the answers of its node. Blocks are given as the logs they hold. */
export class StubChain {
  private blocks: StubBlock[] = [];
  /** Time from block to block. Timestamps are whole seconds: below 1,000, blocks share them. */
  blockMs = 2_000;
  /** How far the tags are behind the head, in blocks; null: the node does not know them. */
  tagsBehind: { safe: number; finalized: number } | null = { safe: 32, finalized: 64 };

  /** Chains of another `salt` have another first block. */
  constructor(
    readonly chainId: number,
    salt = 0,
  ) {
    this.mine([], salt);
  }

  get head(): number {
    return this.blocks.length - 1;
  }

  /** Adds a block. `salt` makes its hash another one than that of an equal block of another fork. */
  mine(logs: readonly StubLog[], salt = 0): void {
    const number = this.blocks.length;
    const parentHash = this.blocks.at(-1)?.hash ?? pad("0x", { size: 32 });
    const content = JSON.stringify([number, parentHash, salt, logs.map((log) => Object.values(log).join())]);
    const hash = keccak256(new TextEncoder().encode(content));
    const placed = { number, hash, timestamp: START_TIME + Math.floor((number * this.blockMs) / 1_000) };
    this.blocks.push({ ...placed, parentHash, logs: logs.map((log, index) => rawLog(placed, log, index)) });
  }

  /** Takes the blocks above a height off the chain. */
  rollBack(height: number): void {
    this.blocks.length = height + 1;
  }

  /** The answer of a node whose head is `head`. Throws where it answers with an error. */
  answer(method: string, params: readonly unknown[], head: number = this.head): unknown {
    if (method === "eth_chainId") return numberToHex(this.chainId);
    if (method === "eth_getCode") return "0x";
    if (method === "eth_getBlockByNumber") return header(this.blocks[this.heightOf(params[0], head)]);
    if (method === "eth_getLogs") return this.logsOf(params[0], head);
    if (method === "eth_call") return call(params[0]);
    if (method === "eth_getTransactionReceipt") return this.receiptOf(params[0], head);
    throw new Error(`the stub does not answer ${method}`);
  }

  /** Beyond the node's head: -1, which no block has for a number. */
  private heightOf(block: unknown, head: number): number {
    if (block === "latest") return head;
    if (block !== "safe" && block !== "finalized") return Number(block) > head ? -1 : Number(block);
    if (this.tagsBehind === null) throw new Error("unknown block tag");
    return Math.max(0, head - this.tagsBehind[block]);
  }

  private receiptOf(transactionHash: unknown, head: number): unknown {
    for (const block of this.blocks.slice(0, head + 1).toReversed()) {
      const logs = block.logs.filter((log) => log.transactionHash === transactionHash);
      if (logs.length > 0)
        return { transactionHash, blockHash: block.hash, gasUsed: "0x5208", effectiveGasPrice: "0x1", logs };
    }
    return null;
  }

  private logsOf(filter: unknown, head: number): readonly RawLog[] {
    // As the indexer sends them.
    const { fromBlock, toBlock, blockHash, topics } = filter as Partial<
      Record<"fromBlock" | "toBlock" | "blockHash", Hex>
    > & {
      topics?: readonly (readonly Hex[])[];
    };
    if (topics?.[0]?.includes(SUB_LOG_SELECTOR) === false) return [];
    if (blockHash !== undefined) {
      const block = this.blocks.slice(0, head + 1).find(({ hash }) => hash === blockHash);
      if (block === undefined) throw new Error("unknown block");
      return block.logs;
    }
    return this.blocks.slice(Number(fromBlock), Math.min(Number(toBlock), head) + 1).flatMap((block) => block.logs);
  }
}

function header(block: StubBlock | undefined) {
  if (block === undefined) return null;
  const { number, hash, parentHash, timestamp } = block;
  return { number: numberToHex(number), hash, parentHash, timestamp: numberToHex(timestamp), gasLimit: "0x1c9c380" };
}

export function stubId(id: number): Hex {
  return numberToHex(id, { size: 32 });
}

export function stubAccount(account: number): Hex {
  return numberToHex(account, { size: 20 });
}

function rawLog(block: Placed, { id, provider, subscriber, amount, code }: StubLog, logIndex: number) {
  return {
    address: CONTRACT.toLowerCase(),
    topics: [SUB_LOG_SELECTOR, stubId(id), pad(stubAccount(provider)), pad(stubAccount(subscriber))],
    data: encodeAbiParameters(
      [{ type: "uint40" }, { type: "uint256" }, { type: "address" }, { type: "uint8" }],
      [block.timestamp, amount, TOKEN, code],
    ),
    blockNumber: numberToHex(block.number),
    blockHash: block.hash,
    logIndex: numberToHex(logIndex),
    transactionHash: keccak256(`${block.hash}${(logIndex >> 1).toString(16).padStart(2, "0")}`),
    removed: false,
  };
}

/** `idSubMap` has terms by id; any other call with one argument returns a token of six decimals. Other calls return no data. */
function call(parameters: unknown): Hex {
  const { data } = parameters as { data: Hex }; // eth_call always has it
  const argument: Hex = `0x${data.slice(10, 74)}`;
  const id = Number.parseInt(argument.slice(-6), 16);
  if (data.startsWith("0x") && data.length === 74 && data.slice(2, 10) === ID_SUB_MAP) {
    return encodeFunctionResult({
      abi: protocolAbi,
      functionName: "idSubMap",
      result: [argument, 1n, CONTRACT, TOKEN, false, id % 4, 1 + (id % 7)],
    });
  }
  if (data.length === 74) {
    return encodeFunctionResult({ abi: protocolAbi, functionName: "approvedERC20", result: [TOKEN, 6, false, 0n] });
  }
  return "0x";
}

const ID_SUB_MAP = keccak256(new TextEncoder().encode("idSubMap(bytes32)")).slice(2, 10);
