import { type Static, Type } from "@sinclair/typebox";
import { Address, CalendarDate, Count, DayNumber, described } from "../schema";

const Fee = described(Count, "10000 + basis points: 10025 is 0.25 %");
const Percent = Type.String({ pattern: "^-?[0-9]+(?:\\.[0-9]+)?$", maxLength: 80 });

/** Snapshot `protocol`: the protocol's own figures. */
export const ProtocolState = Type.Object({
  contractAddress: Address,
  nextUncheckedDay: DayNumber,
  nextUncheckedDate: CalendarDate,
  currentDay: DayNumber,
  callerFee: Fee,
  callerFeePercent: Percent,
  systemFee: Fee,
  systemFeePercent: Percent,
  maxRemits: Count,
  cancelLimit: Count,
  totalSubscribers: Count,
});
export type ProtocolState = Static<typeof ProtocolState>;
