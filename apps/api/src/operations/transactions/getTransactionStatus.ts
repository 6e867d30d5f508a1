import { readHead } from "@dueday/chain/block/readHead";
import { presentEvents } from "@dueday/chain/events/presentEvents";
import { tokensOfLogs } from "@dueday/chain/events/tokensOfLogs";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { readTransactionStatus } from "@dueday/chain/transactions/readTransactionStatus";
import { Revert } from "@dueday/core/errors";
import { EventView } from "@dueday/core/events/eventView";
import { Bytes32, Count, IntegerString } from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";
import { isHash } from "viem";
import { answerLive, type LiveRead } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation, inBody } from "../../operation/defineOperation";

const TransactionAnswer = Type.Object({
  status: Type.Union([
    Type.Literal("success"),
    Type.Literal("reverted"),
    Type.Literal("pending"),
    Type.Literal("unknown"),
  ]),
  confirmed: Type.Boolean(),
  transactionHash: Bytes32,
  blockNumber: Type.Optional(IntegerString),
  confirmations: Type.Optional(Count),
  gasUsed: Type.Optional(IntegerString),
  effectiveGasPrice: Type.Optional(IntegerString),
  events: Type.Optional(Type.Array(EventView)),
  revert: Type.Optional(Revert),
});
type TransactionAnswer = Static<typeof TransactionAnswer>;

export const getTransactionStatus = defineOperation({
  name: "get_transaction_status",
  http: { method: "POST", path: "/transactions/status" },
  summary: "Status of a broadcast transaction, with its decoded events",
  description:
    "Poll it after broadcasting, with the chainId of the prepare call. pending: the node knows it, no block holds it yet. unknown: " +
    "this node has not heard of it. confirmed: a block holds it; confirmations counts that block and those after it.",
  chainScoped: true,
  bucket: "cheap",
  area: "transactions",
  toolsets: ["read", "subscriber", "provider", "keeper"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ txHash: inBody({ ...Bytes32, description: "Transaction hash" }) }),
  output: chainAnswer(TransactionAnswer.properties),
  example: { txHash: `0x${"12".repeat(32)}` },
  handler(context, { txHash }) {
    const { contract } = context.chain.config;
    const hash = txHash.toLowerCase();
    if (!isHash(hash)) throw new Error("a checked txHash is not a hash");
    const read: LiveRead<TransactionAnswer> = async (client, head) => {
      const { status, transactionHash, mined, revert } = await readTransactionStatus(client, { hash, head });
      const known = { status, confirmed: mined !== undefined, transactionHash };
      if (mined === undefined) return known;
      const tokens = await readTokenInfos(client, {
        contract,
        tokens: tokensOfLogs(mined.logs, contract),
        block: head,
      });
      return {
        ...known,
        blockNumber: mined.blockNumber.toString(),
        confirmations: mined.confirmations,
        gasUsed: mined.gasUsed.toString(),
        effectiveGasPrice: mined.effectiveGasPrice.toString(),
        events: presentEvents({ logs: mined.logs, contract, tokens }),
        ...(revert === undefined ? {} : { revert }),
      };
    };
    // The newest block of all: the transaction may be in it.
    return answerLive(context, read, readHead);
  },
});
