import { type Static, Type } from "@sinclair/typebox";
import { EventView } from "../events/eventView";
import { listOf } from "../paging";
import { Revert } from "../reverts/revert";
import { Bytes32, Count, described, IntegerString } from "../schema";

/** Status of a broadcast transaction. Everything about its block is present once a block contains it. */
export const TransactionStatus = Type.Object({
  status: Type.Union([
    Type.Literal("success"),
    Type.Literal("reverted"),
    Type.Literal("pending"),
    Type.Literal("unknown"),
  ]),
  confirmed: Type.Boolean(),
  transactionHash: Bytes32,
  blockNumber: Type.Optional(IntegerString),
  minBlock: Type.Optional(
    described(IntegerString, "Send it as minBlock with a read or prepare: then that answer has seen this transaction"),
  ),
  confirmations: Type.Optional(Count),
  confirmedSeconds: Type.Optional(
    described(Count, "From the time of its block to that of the newest; blocks may share a second"),
  ),
  gasUsed: Type.Optional(IntegerString),
  effectiveGasPrice: Type.Optional(IntegerString),
  events: Type.Optional(listOf(EventView)),
  revert: Type.Optional(Revert),
});
export type TransactionStatus = Static<typeof TransactionStatus>;
