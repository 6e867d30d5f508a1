import { readHead } from "@dueday/chain/block/readHead";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import { type ChainClient, createChainClient } from "@dueday/chain/client/createChainClient";
import { estimateFees } from "@dueday/chain/fees/estimateFees";
import { estimateRollupFees } from "@dueday/chain/fees/estimateRollupFees";
import { canSimulate } from "@dueday/chain/simulate/canSimulate";
import { simulateCalls } from "@dueday/chain/simulate/simulateCalls";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { ServiceError } from "@dueday/core/errors";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import { type Address, type Hex, parseAbi, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";
import { exitCode, KeeperError } from "../keeperError";
import { broadcastTo } from "./broadcastTo";
import type { KeeperNode, MinedRemit } from "./keeperNode";
import { revertData } from "./revertData";

const REQUEST_TIMEOUT_MS = 10_000;
const CALL_TIMEOUT_MS = 30_000;
/** Blocks in which an own transaction of an earlier process is looked for. */
const OWN_BLOCKS = 200n;

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
};

/** A client of the keeper's nodes on one chain, the next one where one fails. */
export function createKeeperClient(chainId: number, rpcUrls: readonly string[]): ChainClient {
  return createChainClient({
    ...{ chainId, rpcUrls, requestTimeoutMs: REQUEST_TIMEOUT_MS, callTimeoutMs: CALL_TIMEOUT_MS },
  });
}

/** The keeper's nodes, as it needs them. */
export function createNode({ client, rpcUrls, contract, from }: NodeOptions): KeeperNode {
  const protocol = { address: contract, abi: protocolAbi } as const;
  const remit = { from, to: contract, data: encodeRemit() };
  const broadcast = broadcastTo(rpcUrls);

  return {
    broadcast,
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
      const [{ baseFeePerGas, maxPriorityFeePerGas }, rollupFees] = await answered(
        Promise.all([
          estimateFees(client, { block }),
          estimateRollupFees(client, { ...remit, gas: client.txGasCap ?? block.gasLimit, block }),
        ]),
      );
      return { baseFee: baseFeePerGas, tip: maxPriorityFeePerGas, rollupFees };
    },

    async estimateRemit(blockTag) {
      try {
        const [gas, nextUncheckedDay] = await Promise.all([
          client.estimateGas({ account: from, to: contract, data: remit.data, blockTag }),
          client.readContract({ ...protocol, functionName: "nextUncheckedDay", blockTag }),
        ]);
        return { gas, nextUncheckedDay };
      } catch (error) {
        const data = revertData(error);
        if (data === null) throw unreachable(error);
        return { revert: decodeRevert(data) };
      }
    },

    async simulateRemits(count) {
      const block = await answered(readHead(client));
      if (!(await answered(canSimulate(client, { block })))) return null;
      const calls = Array.from({ length: count }, () => ({ ...remit, gas: client.txGasCap ?? block.gasLimit }));
      const results = await answered(simulateCalls(client, { calls, block }));
      const end = results.findIndex(({ success }) => !success);
      return results
        .slice(0, end === -1 ? results.length : end)
        .map(({ gasUsed, logs }) => ({ ...parseRemitLogs(logs, { contract, caller: from }), gas: gasUsed }));
    },

    async countRivals(afterBlock, toBlock) {
      if (toBlock !== undefined && toBlock <= afterBlock) return 0;
      try {
        const logs = await client.getContractEvents({
          ...protocol,
          eventName: "CallerLog",
          fromBlock: afterBlock + 1n,
          toBlock,
        });
        const others = logs.filter(({ args }) => args.caller?.toLowerCase() !== from.toLowerCase());
        return new Set(others.map(({ transactionHash }) => transactionHash)).size;
      } catch {
        // Some nodes serve logs of a few blocks only. Without them, the state alone shows who was faster.
        return null;
      }
    },

    receipt: (hash) => answered(readReceipt(client, hash)),

    async findOwn(nonce) {
      const { number } = await answered(readHead(client));
      const fromBlock = number > OWN_BLOCKS ? number - OWN_BLOCKS : 0n;
      const logs = await answered(
        client.getContractEvents({ ...protocol, eventName: "CallerLog", args: { caller: from }, fromBlock }),
      );
      for (const hash of new Set(logs.map(({ transactionHash }) => transactionHash))) {
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

/** Whether no node answered. Anything else is an answer: a revert, or a result of another form. */
function isOfTransport(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof ServiceError) return true;
  return false;
}

function toHead({ number, hash, timestamp }: { number: bigint; hash: Hex; timestamp: bigint }) {
  return { number, hash, timestamp: Number(timestamp) };
}

async function readReceipt(client: ChainClient, hash: Hex): Promise<MinedRemit | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash });
    return { ...toMined(receipt), costWei: receipt.gasUsed * receipt.effectiveGasPrice + l1FeeOf(receipt) };
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

function toMined({ transactionHash, status, blockNumber, blockHash, gasUsed, logs }: TransactionReceipt) {
  return { hash: transactionHash, success: status === "success", blockNumber, blockHash, gasUsed, logs };
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
 * The message of the service's own error names the method and the place in the list of URLs, and repeats no URL. Its advice is left
 * out: it is for clients of a service, and the keeper tries again by itself.
 */
function unreachable(error: unknown): KeeperError {
  const [problem = ""] = asServiceError(error).message.split("; ");
  return new KeeperError(exitCode.UNREACHABLE, problem);
}
