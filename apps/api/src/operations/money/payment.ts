import { planName } from "@dueday/core/amounts/planName";
import { dayToDate, timestampToIso } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { BlockFinality, type Finality, finalityOf } from "@dueday/core/finality";
import {
  Address,
  Bytes32,
  CalendarDate,
  Count,
  DecimalString,
  described,
  IntegerString,
  IsoTime,
  oneOf,
  SignedDecimalString,
  SignedTokenUnits,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "@dueday/core/schema";
import { PlanName } from "@dueday/core/schemas/seller";
import type { PaymentKind, StoredPayment } from "@dueday/db/history/readPayments";
import { type Static, Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { amountPair } from "./amountPair";

const kinds: readonly PaymentKind[] = ["initial", "recurring", "failure", "refund_to_provider", "refund_to_subscriber"];

const amountIn = (description: string) => ({ ...DecimalString, description });
const raw = { ...TokenUnits, description: "The same in token units" };

/** One charge, failure or refund. An amount that does not apply to its kind is 0. */
export const Payment = Type.Object({
  date: { ...CalendarDate, description: "Day of the payment, UTC" },
  kind: oneOf(
    kinds,
    "initial: the charge on subscribing. recurring: a charge by remit(). failure: a charge that failed. refund_to_provider, " +
      "refund_to_subscriber: what was left of a fee balance, and who received it",
  ),
  id: { ...Bytes32, description: "Id of the subscription" },
  planName: PlanName,
  provider: Address,
  subscriber: Address,
  token: Address,
  tokenSymbol: UntrustedText,
  tokenDecimals: TokenDecimals,
  gross: amountIn("Charged to the subscriber: the provider's part and toFeeBalance together"),
  grossRaw: raw,
  toFeeBalance: amountIn("The part of a charge that filled the subscriber's fee balance"),
  toFeeBalanceRaw: raw,
  returned: amountIn("Of a refund: the prepaid fee balance that was paid out"),
  returnedRaw: raw,
  failed: amountIn("Of a failure: the whole amount that was due"),
  failedRaw: raw,
  net: { ...SignedDecimalString, description: "What the account received; below 0 what it paid" },
  netRaw: { ...SignedTokenUnits, description: "The same in token units" },
  timestamp: described(Count, "Unix seconds"),
  formattedTimestamp: IsoTime,
  transactionHash: Bytes32,
  blockNumber: IntegerString,
  finality: BlockFinality,
  logIndex: described(Count, "Within the block"),
});
export type Payment = Static<typeof Payment>;

/** What a summary of a list of payments leaves out. */
export const paymentOmits = [
  "token",
  "tokenDecimals",
  "grossRaw",
  "toFeeBalanceRaw",
  "returnedRaw",
  "failedRaw",
  "netRaw",
  "timestamp",
  "formattedTimestamp",
  "blockNumber",
  "logIndex",
  "transactionHash",
];

/** A payment as it changes the money of its provider, or of its subscriber. */
export function presentPayment(
  payment: StoredPayment,
  side: "provider" | "subscriber",
  finality: Finality | null,
): Payment {
  const { kind, token, toProvider, toFeeBalance, failed, refunded, timestamp } = payment;
  const gross = toProvider + toFeeBalance;
  const net =
    side === "provider"
      ? toProvider + receivedBy("provider", kind, refunded)
      : receivedBy("subscriber", kind, refunded) - gross;
  const { decimals } = token;
  return {
    date: dayToDate(dayNumber(timestamp)),
    kind,
    id: payment.id,
    planName: planName(payment),
    provider: getAddress(payment.provider),
    subscriber: getAddress(payment.subscriber),
    token: token.address,
    tokenSymbol: token.symbol,
    tokenDecimals: decimals,
    ...amountPair("gross", gross, decimals),
    ...amountPair("toFeeBalance", toFeeBalance, decimals),
    ...amountPair("returned", refunded, decimals),
    ...amountPair("failed", failed, decimals),
    ...amountPair("net", net, decimals),
    timestamp,
    formattedTimestamp: timestampToIso(timestamp),
    transactionHash: payment.transactionHash,
    blockNumber: String(payment.blockNumber),
    finality: finalityOf(payment.blockNumber, finality),
    logIndex: payment.logIndex,
  };
}

function receivedBy(side: "provider" | "subscriber", kind: PaymentKind, refunded: bigint): bigint {
  return kind === `refund_to_${side}` ? refunded : 0n;
}
