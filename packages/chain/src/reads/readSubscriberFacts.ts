import { erc20Abi } from "@dueday/core/abi/erc20";
import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { Address } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "./contractRead";
import { expectOpenDays } from "./expectOpenDays";
import { expectToken } from "./expectToken";
import { expectValue, protocolRead, valueOrNone } from "./protocolRead";
import { readMany } from "./readMany";
import { readNativeBalance } from "./readNativeBalance";
import { readSubscriberStatus, type SubscriberStatus } from "./readSubscriberStatus";
import type { SubscriptionRecord } from "./readSubscriptions";
import { readTokenInfos } from "./readTokenInfos";
import { readWithPrefetch, type SubscriptionTarget } from "./readWithPrefetch";

/** Everything that decides whether an account can subscribe or unsubscribe, at one block. */
export type SubscriberFacts = {
  account: Address;
  record: SubscriptionRecord;
  token: TokenInfo;
  tokenPaused: boolean;
  status: SubscriberStatus;
  /** 18 decimals. */
  feeBalance: bigint;
  /** Of the account for the contract, token units; 0 where the token does not answer. */
  allowance: bigint;
  /** Token units; 0 where the token does not answer. */
  balance: bigint;
  /** Wei; null where the node refuses to answer. */
  nativeBalance: bigint | null;
  nextUncheckedDay: number;
  /** 10000 + basis points. */
  callerFee: bigint;
};

export type SubscriberFactsParameters = SubscriptionTarget & { account: Address };

/**
 * Null for an id that the contract does not know. One round trip where `prefetched` is current. Throws ServiceError UPSTREAM_*
 * where the node fails.
 */
export async function readSubscriberFacts(
  client: ChainClient,
  { account, ...target }: SubscriberFactsParameters,
): Promise<SubscriberFacts | null> {
  const { contract, block, id } = target;
  const found = await readWithPrefetch(client, target, async (record) => {
    const { token } = record;
    const [results, tokens, status, nativeBalance] = await Promise.all([
      readMany(
        client,
        [
          protocolRead(contract, "nextUncheckedDay", []),
          protocolRead(contract, "callerFee", []),
          protocolRead(contract, "approvedERC20", [token]),
          protocolRead(contract, "feeBalance", [id, account]),
          contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [account, contract] }),
          contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
        ],
        block,
      ),
      readTokenInfos(client, { contract, tokens: [token], block }),
      readSubscriberStatus(client, { contract, record, account, block }),
      readNativeBalance(client, { account, block }),
    ]);
    const [nextDay, callerFee, approval, feeBalance, allowance, balance] = results;
    const nextUncheckedDay = expectValue(nextDay, "nextUncheckedDay");
    expectOpenDays(nextUncheckedDay, dayNumber(block.timestamp));
    const [, , tokenPaused] = expectValue(approval, "approvedERC20");
    return {
      token: expectToken(tokens, token),
      tokenPaused,
      status,
      feeBalance: expectValue(feeBalance, "feeBalance"),
      allowance: valueOrNone(allowance),
      balance: valueOrNone(balance),
      nativeBalance,
      nextUncheckedDay,
      callerFee: expectValue(callerFee, "callerFee"),
    };
  });
  return found && { account, record: found.record, ...found.related };
}
