import { decodeProtocolEvent, type RawLog } from "@dueday/core/events/decodeProtocolEvent";
import { decodeTokenEvent } from "@dueday/core/events/decodeTokenEvent";
import type { RemitState } from "@dueday/core/remit/state";
import type { Address } from "viem";

/**
 * The accounts, in lower case, that a simulated remit() charges, pays or refunds, without what it pays its caller.
 */
export function partiesOfLogs(
  logs: readonly RawLog[],
  { contract, caller }: { contract: Address; caller: Address },
): string[] {
  const [protocol, receiver] = [contract.toLowerCase(), caller.toLowerCase()];
  return logs.flatMap((log) => {
    if (log.address.toLowerCase() === protocol) {
      const event = decodeProtocolEvent(log);
      return event?.event === "SubLog" ? [event.subscriber, event.provider] : [];
    }
    const event = decodeTokenEvent(log);
    if (event?.event !== "Transfer" || (event.from === protocol && event.to === receiver)) return [];
    return [event.from, event.to];
  });
}

/** The accounts, in lower case, that remit() can move tokens of in a state, its caller aside. */
export function partiesOfState({ subscriptions, protocol, systemFeeReceiver }: RemitState): string[] {
  const members = [...subscriptions.values()].flatMap(({ provider, subscribers }) => [
    provider,
    ...subscribers.map(({ subscriber }) => subscriber),
  ]);
  return [protocol, systemFeeReceiver, ...members].map((account) => account.toLowerCase());
}
