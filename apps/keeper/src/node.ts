import { protocolAbi } from "@dueday/core/abi/protocol";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
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
import type { RemitTransaction } from "./checkTransaction";
import { exitCode, Trouble } from "./trouble";

/** What a call of remit() would meet after all that waits to be mined: its gas and what that costs, or the protocol's refusal. */
export type Outlook =
  | {
      gas: bigint;
      /** With room for what may still change. */
      gasLimit: bigint;
      /** Base fee and tip, wei per gas. */
      gasPrice: bigint;
      /** The day that the call would begin with. */
      nextUncheckedDay: number;
    }
  | { revert: { code: string; message: string } };

/** The keeper's own node: the only place that it signs for and sends to. All errors are `Trouble`. */
export type KeeperNode = {
  chainId(): Promise<number>;
  hasCode(address: Address): Promise<boolean>;
  prefetchSubscription(transaction: RemitTransaction, from: Address): Promise<Outlook>;
  /** Signs, sends, and waits until it is mined. */
  send(transaction: RemitTransaction, gasLimit: bigint, account: PrivateKeyAccount): Promise<TransactionReceipt>;
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
    async prefetchSubscription(transaction, from) {
      try {
        const [gas, gasPrice, nextUncheckedDay] = await Promise.all([
          client.estimateGas({ ...call(transaction), account: from, blockTag: "pending" }),
          client.getGasPrice(),
          client.readContract({
            ...{ address: transaction.to, abi: protocolAbi, functionName: "nextUncheckedDay", blockTag: "pending" },
          }),
        ]);
        // Who is due may change until it is mined: a page may get longer.
        return { gas, gasLimit: (gas * 12n) / 10n, gasPrice, nextUncheckedDay };
      } catch (error) {
        const data = revertData(error);
        if (data === null) return unreachable(error);
        return { revert: decodeRevert(data) };
      }
    },
    async send(transaction, gasLimit, account) {
      const [nonce, fees] = await Promise.all([
        client.getTransactionCount({ address: account.address, blockTag: "pending" }),
        client.estimateFeesPerGas(),
      ]).catch(unreachable);
      const { chainId } = transaction;
      const signed = await account.signTransaction({
        ...call(transaction),
        ...fees,
        type: "eip1559",
        chainId,
        gas: gasLimit,
        nonce,
      });
      await client.sendRawTransaction({ serializedTransaction: signed }).catch(refusedBroadcast);
      return client
        .waitForTransactionReceipt({ hash: keccak256(signed), timeout: MINED_WITHIN_MS, retryCount: 0 })
        .catch(() => {
          const text = `transaction ${keccak256(signed)} was not mined within ${MINED_WITHIN_MS / 1000} s`;
          throw new Trouble(exitCode.TRANSACTION_FAILED, text);
        });
    },
  };
}

function call({ to, data, value }: RemitTransaction) {
  return { to, data, value };
}

/** A node that said no is believed; one that did not answer may have sent it on, so the receipt is waited for. */
function refusedBroadcast(error: unknown): void {
  if (error instanceof BaseError && error.walk((cause) => cause instanceof RpcRequestError) !== null)
    unreachable(error);
}

function unreachable(error: unknown): never {
  if (error instanceof BaseError && InsufficientFundsError.nodeMessage.test(error.details)) {
    throw new Trouble(exitCode.TRANSACTION_FAILED, "the keeper's address has not enough ether for the gas");
  }
  // The library's message would hold the node's URL, which often holds a key.
  throw new Trouble(exitCode.UNREACHABLE, "the node (--rpc) can't be reached, or refuses the request");
}

/** The return data of a reverted call, somewhere among the causes; "0x" of one that gave no reason; null when it is no revert. */
function revertData(error: unknown): Hex | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const data: unknown = "data" in cause ? cause.data : undefined;
    if (typeof data === "string" && data.startsWith("0x")) return data as Hex; // checked by the prefix
    if (cause.name === "ExecutionRevertedError" && !(cause.cause instanceof Error)) return "0x";
  }
  return null;
}
