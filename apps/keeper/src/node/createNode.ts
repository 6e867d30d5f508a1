import { parseBlock } from "@dueday/chain/block/parseBlock";
import { readHead } from "@dueday/chain/block/readHead";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import { type ChainClient, createChainClient } from "@dueday/chain/client/createChainClient";
import { explainRefusal } from "@dueday/chain/client/explainRefusal";
import { estimateFees } from "@dueday/chain/fees/estimateFees";
import { estimateRollupFees } from "@dueday/chain/fees/estimateRollupFees";
import { transactionGasLimit } from "@dueday/chain/fees/transactionGasLimit";
import { canSimulate } from "@dueday/chain/simulate/canSimulate";
import type { SimulatedCall } from "@dueday/chain/simulate/parseSimulation";
import { simulateSent } from "@dueday/chain/simulate/simulateSent";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import {
  type Address,
  type Hex,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { exitCode, KeeperError } from "../keeperError";
import { createBlockAges } from "./createBlockAges";
import { createCallerLogsReader } from "./createCallerLogsReader";
import { eachNode } from "./eachNode";
import { isOfTransport } from "./isOfTransport";
import type { KeeperNode, MinedRemit, RemitSimulation } from "./keeperNode";
import { revertData } from "./revertData";
import { simulateRepeatedly } from "./simulateRepeatedly";

const REQUEST_TIMEOUT_MS = 10_000;
const CALL_TIMEOUT_MS = 30_000;
/** How far back `findOwn` looks for a transaction, which an earlier process of the keeper may have sent. */
const OWN_SECONDS = 600;

const feedAbi = parseAbi([
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  "function decimals() view returns (uint8)",
]);

export type NodeOptions = {
  client: ChainClient;
  rpcUrls: readonly string[];
  contract: Address;
  /** The keeper's address. */
  from: Address;
  /** How long a transaction may wait before it is replaced: its highest fee covers the rise of the base fee until then. */
  replaceAfterMs: number;
};

/** A client of the keeper's nodes on one chain. If a node fails, the next one is used. */
export function createKeeperClient(chainId: number, rpcUrls: readonly string[]): ChainClient {
  return createChainClient({
    chainId,
    rpcUrls,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    callTimeoutMs: CALL_TIMEOUT_MS,
  });
}

/** The functions that the keeper needs of its nodes. */
export function createNode({ client, rpcUrls, contract, from, replaceAfterMs }: NodeOptions): KeeperNode {
  const protocol = { address: contract, abi: protocolAbi } as const;
  const remit = { from, to: contract, data: encodeRemit() };
  const nodes = eachNode(rpcUrls);
  const readCallerLogs = createCallerLogsReader(client, contract);
  const ages = createBlockAges(async (number) => {
    return Number(parseBlock(await client.rpc("eth_getBlockByNumber", [numberToHex(number), false])).timestamp);
  });
  const blockBefore = async (seconds: number) => ages.before(toHead(await readHead(client)), seconds);

  return {
    broadcast: nodes.broadcast,
    isUsed: (nonce) => nodes.haveMined(from, nonce),
    blockBefore: (seconds) => answered(blockBefore(seconds)),
    head: () => answered(readHead(client).then(toHead)),
    balance: () => answered(client.getBalance({ address: from })),
    decimals: (token) => answered(client.readContract({ address: token, abi: erc20Abi, functionName: "decimals" })),

    async nonces() {
      const count = (blockTag: "latest" | "pending") => client.getTransactionCount({ address: from, blockTag });
      const [mined, pending] = await answered(Promise.all([count("latest"), count("pending")]));
      return { mined, pending };
    },

    async market() {
      const block = await answered(readHead(client));
      const [{ baseFeePerGas, maxPriorityFeePerGas, maxFeePerGas }, rollupFees] = await answered(
        Promise.all([
          estimateFees(client, { block, waitSeconds: replaceAfterMs / 1000 }),
          estimateRollupFees(client, { ...remit, gas: transactionGasLimit(client, block), block }),
        ]),
      );
      return { baseFee: baseFeePerGas, tip: maxPriorityFeePerGas, maxFee: maxFeePerGas, rollupFees };
    },

    async finalized() {
      try {
        return parseBlock(await client.rpc("eth_getBlockByNumber", ["finalized", false])).number;
      } catch {
        // Not every node knows the tag: receipts are then rechecked for a fixed time.
        return null;
      }
    },

    async estimateRemit(blockTag, fees) {
      try {
        const [gas, nextUncheckedDay] = await Promise.all([
          client.estimateGas({ account: from, to: contract, data: remit.data, blockTag, ...fees }),
          client.readContract({ ...protocol, functionName: "nextUncheckedDay", blockTag }),
        ]);
        return { gas, nextUncheckedDay };
      } catch (error) {
        const data = revertData(error);
        if (data === null) throw unreachable(error);
        return { revert: decodeRevert(data) };
      }
    },

    async simulateRemits(gasLimits, fees) {
      const block = await answered(readHead(client));
      if (!(await answered(canSimulate(client, { block })))) return null;
      const largest = transactionGasLimit(client, block);
      const simulate = (limits: readonly bigint[]) => {
        return simulateSent(client, { from, calls: limits.map((gas) => ({ ...remit, gas })), fees, block });
      };
      const toEffects = ({ gasUsed, logs }: SimulatedCall) => {
        return { ...parseRemitLogs(logs, { contract, caller: from }), gas: gasUsed };
      };
      return answered(simulateRepeatedly(simulate, { gasLimits, largest })).then(({ calls, end }): RemitSimulation => {
        return { remits: calls.map(toEffects), end };
      });
    },

    async replayRemit(block, gas, fees) {
      try {
        await client.call({ account: from, to: contract, data: remit.data, blockNumber: block, gas, ...fees });
        return null;
      } catch (error) {
        const data = revertData(error);
        return data === null ? null : decodeRevert(data);
      }
    },

    async nextUncheckedDay(block) {
      try {
        return await client.readContract({ ...protocol, functionName: "nextUncheckedDay", blockNumber: block });
      } catch {
        // The node keeps the states of the last minutes only.
        return null;
      }
    },

    async rivals(afterBlock, toBlock) {
      const last = toBlock ?? (await answered(readHead(client))).number;
      if (last <= afterBlock) return [];
      const logs = await readCallerLogs({ fromBlock: afterBlock + 1n, toBlock: last });
      if (logs === null) return null;
      const others = logs.filter(({ args }) => args.caller.toLowerCase() !== from.toLowerCase());
      const rivals = others.map(({ transactionHash: hash, transactionIndex: index, blockNumber, args: { caller } }) => {
        return { hash, caller, blockNumber, index };
      });
      return [...new Map(rivals.map((each) => [each.hash, each])).values()];
    },

    receipt: (hash) => answered(readReceipt(client, hash)),

    async findOwn(nonce) {
      const head = toHead(await answered(readHead(client)));
      const fromBlock = await answered(ages.before(head, OWN_SECONDS));
      const logs = await readCallerLogs({ fromBlock, toBlock: head.number, caller: from });
      for (const hash of new Set(logs?.map(({ transactionHash }) => transactionHash))) {
        const transaction = await answered(client.getTransaction({ hash }));
        if (transaction.from.toLowerCase() !== from.toLowerCase() || transaction.nonce !== nonce) continue;
        return answered(readReceipt(client, hash));
      }
      return null;
    },

    async feed(address) {
      try {
        const feed = { address, abi: feedAbi } as const;
        const [[, answer, , updatedAt], decimals] = await Promise.all([
          client.readContract({ ...feed, functionName: "latestRoundData" }),
          client.readContract({ ...feed, functionName: "decimals" }),
        ]);
        return { answer, decimals, updatedAt: Number(updatedAt) };
      } catch (error) {
        if (!isOfTransport(error)) return null;
        throw unreachable(error);
      }
    },
  };
}

function toHead({ number, timestamp }: { number: bigint; timestamp: bigint }) {
  return { number, timestamp: Number(timestamp) };
}

async function readReceipt(client: ChainClient, hash: Hex): Promise<MinedRemit | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash });
    if (receipt.transactionHash !== hash) throw new Error("the node answers with the receipt of another transaction");
    const { status, blockNumber, transactionIndex: index, gasUsed, effectiveGasPrice, logs } = receipt;
    const costWei = gasUsed * effectiveGasPrice + l1FeeOf(receipt);
    return { hash, success: status === "success", blockNumber, index, gasUsed, costWei, logs };
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/** Chains on the OP Stack add what the sender paid for L1 data, in a field that viem's general type lacks. */
function l1FeeOf(receipt: TransactionReceipt): bigint {
  const fee: unknown = Reflect.get(receipt, "l1Fee");
  if (typeof fee === "bigint") return fee;
  return typeof fee === "string" && /^0x[0-9a-f]{1,32}$/i.test(fee) ? BigInt(fee) : 0n;
}

/** @throws KeeperError UNREACHABLE in place of any error of the node */
async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw unreachable(error);
  }
}

/**
 * The message of the service's own error names at most the method and the node's place in the list of URLs, and contains no URL. Its advice
 * is left out, because it is for clients of a service: the keeper retries by itself.
 */
export function unreachable(error: unknown): KeeperError {
  const [problem = ""] = asServiceError(explainRefusal(error)).message.split("; ");
  return new KeeperError(exitCode.UNREACHABLE, problem);
}
