import { type Hex, keccak256, stringToBytes } from "viem";
import type { ChainEventType, PlanEventType } from "./domainEvent";

/** 128 bits of a hash: enough that no two events of one database share an id. */
const ID_DIGITS = 32;

/** Id of an event that follows from a log: equal wherever and whenever the same log of the same block is read. */
export function logEventId(
  chainId: number,
  { blockHash, logIndex, type }: { blockHash: Hex; logIndex: number; type: ChainEventType },
): string {
  return idOf([chainId, blockHash, logIndex, type]);
}

/** The payment that an event of the forecast is about. */
export type ForecastPayment = { id: string; subscriber: string; dayNumber: number };

/** Id of an event that follows from the plan or the forecast at a block. */
export function planEventId(
  chainId: number,
  { blockHash, type, payment }: { blockHash: Hex; type: PlanEventType; payment?: ForecastPayment },
): string {
  if (payment === undefined) return idOf([chainId, blockHash, type]);
  const { id, subscriber, dayNumber } = payment;
  return idOf([chainId, blockHash, type, id.toLowerCase(), subscriber.toLowerCase(), dayNumber]);
}

/**
 * Id of the retraction of one row: an event that was retracted, written again and retracted again has two retractions
 * with different ids.
 */
export function retractionId(chainId: number, { id, seq }: { id: string; seq: number }): string {
  return idOf([chainId, "event.retracted", id, seq]);
}

function idOf(parts: readonly (string | number)[]): string {
  return `evt_${keccak256(stringToBytes(parts.join(" "))).slice(2, 2 + ID_DIGITS)}`;
}
