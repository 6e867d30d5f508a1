import { feePercent } from "@dueday/core/amounts/callerAmount";
import { saturate } from "@dueday/core/amounts/saturate";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { ProtocolState } from "@dueday/core/snapshots/protocolState";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "./protocolRead";
import { type ReadResults, readMany } from "./readMany";

export type ReadProtocolStateParameters = { contract: Address; block: ChainBlock };

/** The protocol's own figures at a block. Throws ServiceError UPSTREAM_* where the node or the contract does not answer. */
export async function readProtocolState(
  client: ChainClient,
  parameters: ReadProtocolStateParameters,
): Promise<ProtocolState> {
  const { contract, block } = parameters;
  return presentProtocolState(await readMany(client, protocolStateReads(contract), block), parameters);
}

/** The reads of `readProtocolState`, for those who send them with others. */
export function protocolStateReads(contract: Address) {
  return [
    protocolRead(contract, "nextUncheckedDay", []),
    protocolRead(contract, "callerFee", []),
    protocolRead(contract, "systemFee", []),
    protocolRead(contract, "maxRemits", []),
    protocolRead(contract, "cancelLimit", []),
    protocolRead(contract, "getTotalSubscribers", []),
  ] as const;
}

/** What `readProtocolState` returns for the results of its reads. Throws UPSTREAM_ERROR for those of another contract. */
export function presentProtocolState(
  results: ReadResults<ReturnType<typeof protocolStateReads>>,
  { contract, block }: ReadProtocolStateParameters,
): ProtocolState {
  const [nextUncheckedDay, callerFee, systemFee, maxRemits, cancelLimit, totalSubscribers] = results;
  const nextDay = expectValue(nextUncheckedDay, "nextUncheckedDay");
  const callerFeeValue = expectValue(callerFee, "callerFee");
  const systemFeeValue = expectValue(systemFee, "systemFee");
  return {
    contractAddress: contract,
    nextUncheckedDay: nextDay,
    nextUncheckedDate: dayToDate(nextDay),
    currentDay: dayNumber(block.timestamp),
    callerFee: saturate(callerFeeValue),
    callerFeePercent: feePercent(callerFeeValue),
    systemFee: saturate(systemFeeValue),
    systemFeePercent: feePercent(systemFeeValue),
    maxRemits: saturate(expectValue(maxRemits, "maxRemits")),
    cancelLimit: saturate(expectValue(cancelLimit, "cancelLimit")),
    totalSubscribers: saturate(expectValue(totalSubscribers, "getTotalSubscribers")),
  };
}
