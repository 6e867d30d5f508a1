import { readHead } from "@dueday/chain/block/readHead";
import { presentTransactionStatus } from "@dueday/chain/transactions/presentTransactionStatus";
import { Bytes32 } from "@dueday/core/schema";
import { TransactionStatus } from "@dueday/core/schemas/transactionStatus";
import { Type } from "@sinclair/typebox";
import { isHash } from "viem";
import { answerLive } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { liveRead } from "../../operation/chainRead";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { detailInBody } from "../../operation/detail";

export const getTransactionStatus = defineOperation({
  ...liveRead,
  name: "get_transaction_status",
  http: { method: "POST", path: "/transactions/status" },
  summary: "Status of a broadcast transaction, with its decoded events",
  forAgents:
    "Whether a broadcast transaction is mined, and succeeded. Poll it after each broadcast until confirmed; detail full adds its events",
  description:
    "Poll it after broadcasting, with the chainId of the prepare call. pending: the node knows it and no block contains it yet. unknown: " +
    "the node does not know it. confirmed: a block contains it; confirmations counts that block and those after it, confirmedSeconds " +
    "the time since it. " +
    "Reads and prepares that are sent with its minBlock have seen the transaction.",
  bucket: "cheap",
  area: "transactions",
  toolsets: ["read", "subscriber", "provider", "keeper"],
  input: Type.Object({ txHash: inBody({ ...Bytes32, description: "Transaction hash" }), ...detailInBody }),
  summarized: { omits: ["events"] },
  output: chainAnswer(TransactionStatus.properties),
  example: { txHash: `0x${"12".repeat(32)}` },
  handler(context, { txHash }) {
    const { contract } = context.chain.config;
    const hash = txHash.toLowerCase();
    if (!isHash(hash)) throw new Error("a txHash that passed the check of the input is not a hash");
    // Read at the newest block, because the transaction may be in it.
    return answerLive(
      context,
      (client, block) => presentTransactionStatus(client, { contract, hash, block }),
      readHead,
    );
  },
});
