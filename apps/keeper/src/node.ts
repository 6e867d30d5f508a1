import { protocolAbi } from "@dueday/core/abi/protocol";
import { defaultTxGasCap } from "@dueday/core/chains";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import type { CheckedTransaction } from "@dueday/sdk/actions";
import {
  type Address,
  BaseError,
  createPublicClient,
  type Hex,
  http,
  InsufficientFundsError,
  keccak256,
  RpcRequestError,
  type TransactionReceipt,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { exitCode, KeeperError } from "./keeperError";
import { type GasEstimate, lowest } from "./limitGasPrice";

/** A call of remit() on the pending state: its gas and the day that it would begin with, or the protocol's revert. */
export type RemitEstimate =
  | (GasEstimate & { maxPriorityFeePerGas: bigint; nextUncheckedDay: number })
  | { revert: { code: string; message: string } };

/** What a transaction is signed with; prices in wei per gas. */
export type Gas = Pick<GasEstimate, "gasLimit" | "maxFeePerGas"> & { maxPriorityFeePerGas: bigint };

/** The keeper's own node: the only one whose chain it signs for, and the only one it sends to. All errors are KeeperError. */
export type KeeperNode = {
  chainId(): Promise<number>;
  hasCode(address: Address): Promise<boolean>;
  estimateRemit(transaction: CheckedTransaction, from: Address): Promise<RemitEstimate>;
  /** Signs, sends, and waits until it is mined. */
  send(transaction: CheckedTransaction, gas: Gas, account: PrivateKeyAccount): Promise<TransactionReceipt>;
};

const DEADLINE_MS = 20_000;
const MINED_WITHIN_MS = 180_000;
const POLL_MS = 500;

/** A client of one node. */
export function createNode(rpcUrl: string): KeeperNode {
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: DEADLINE_MS, retryCount: 0 }),
    pollingInterval: POLL_MS,
    cacheTime: 0,
  });

  return {
    chainId: () => client.getChainId().catch(unreachable),
    async hasCode(address) {
      const code = await client.getCode({ address }).catch(unreachable);
      return code !== undefined && code !== "0x";
    },
    async estimateRemit(transaction, from) {
      try {
        const [gas, gasPrice, { maxFeePerGas, maxPriorityFeePerGas }, nextUncheckedDay] = await Promise.all([
          client.estimateGas({ ...call(transaction), account: from, blockTag: "pending" }),
          client.getGasPrice(),
          client.estimateFeesPerGas(),
          client.readContract({
            ...{ address: transaction.to, abi: protocolAbi, functionName: "nextUncheckedDay", blockTag: "pending" },
          }),
        ]);
        const gasCap = defaultTxGasCap(transaction.chainId);
        if (gasCap !== null && gas > gasCap) return { revert: outOfGasRevert };
        // Subscribers may come until it is mined: the page may get longer.
        const withMargin = (gas * 12n) / 10n;
        const gasLimit = gasCap !== null && withMargin > gasCap ? gasCap : withMargin;
        return { gasLimit, gasPrice, maxFeePerGas, maxPriorityFeePerGas, nextUncheckedDay };
      } catch (error) {
        const data = revertData(error);
        if (data === null) return unreachable(error);
        return { revert: decodeRevert(data) };
      }
    },
    async send(transaction, { gasLimit, maxFeePerGas, maxPriorityFeePerGas }, account) {
      const { address } = account;
      const nonce = await client.getTransactionCount({ address, blockTag: "pending" }).catch(unreachable);
      const signed = await account.signTransaction({
        ...call(transaction),
        type: "eip1559",
        chainId: transaction.chainId,
        gas: gasLimit,
        maxFeePerGas,
        maxPriorityFeePerGas: lowest(maxPriorityFeePerGas, maxFeePerGas),
        nonce,
      });
      await client.sendRawTransaction({ serializedTransaction: signed }).catch(refusedBroadcast);
      return client
        .waitForTransactionReceipt({ hash: keccak256(signed), timeout: MINED_WITHIN_MS, retryCount: 0 })
        .catch(() => {
          const text = `transaction ${keccak256(signed)} was not mined within ${MINED_WITHIN_MS / 1000} s`;
          throw new KeeperError(exitCode.TRANSACTION_FAILED, text);
        });
    },
  };
}

function call({ to, data, value }: CheckedTransaction) {
  return { to, data, value };
}

/** A node that answered with an error did not send it; one that did not answer may have, so the receipt is awaited. */
function refusedBroadcast(error: unknown): void {
  if (error instanceof BaseError && error.walk((cause) => cause instanceof RpcRequestError) !== null)
    unreachable(error);
}

/** The longest text of a node that is read. */
const MAX_MESSAGE_LENGTH = 500;

function unreachable(error: unknown): never {
  if (
    error instanceof BaseError &&
    InsufficientFundsError.nodeMessage.test(error.details.slice(0, MAX_MESSAGE_LENGTH))
  ) {
    throw new KeeperError(exitCode.TRANSACTION_FAILED, "the keeper's address does not have enough ether for the gas");
  }
  // The library's message would hold the node's URL, which often holds a key.
  throw new KeeperError(exitCode.UNREACHABLE, "the node (--rpc) can't be reached, or refuses the request");
}

/** The return data of a reverted call, somewhere among the causes; "0x" of one without a reason; null when it is not a revert. */
function revertData(error: unknown): Hex | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const data: unknown = "data" in cause ? cause.data : undefined;
    if (typeof data === "string" && data.startsWith("0x")) return data as Hex; // checked by the prefix
    if (cause.name === "ExecutionRevertedError" && !(cause.cause instanceof Error)) return "0x";
  }
  return null;
}
