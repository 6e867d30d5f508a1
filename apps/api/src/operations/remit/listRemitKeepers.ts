import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { listOf, pagedListOf, pageFacts, pageFields } from "@dueday/core/paging";
import { Address, Count, described, IntegerString, TokenAmount } from "@dueday/core/schema";
import { rankKeepers } from "@dueday/db/history/rankKeepers";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { chainAnswer } from "../../operation/chainAnswer";
import { indexedRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { first, skip, withDefault } from "../../operation/paging";
import { readIndexed } from "../../operation/readIndexed";

const Keeper = Type.Object({
  keeper: Address,
  remits: { ...Count, description: "Transactions" },
  share: Type.Number({
    minimum: 0,
    maximum: 1,
    description: "Of all payments in these days, 0 to 1, rounded to 4 digits",
  }),
  payments: { ...Count, description: "Failures included" },
  failures: Count,
  callerFees: described(listOf(TokenAmount), "What it received"),
  costWei: { ...IntegerString, description: "What it paid for gas" },
  medianLagSeconds: described(
    Count,
    "Median over its transactions of the time since midnight UTC of the oldest day settled",
  ),
});

export const listRemitKeepers = defineOperation({
  ...indexedRead,
  name: "list_remit_keepers",
  http: { method: "GET", path: "/remit/keepers" },
  summary: "Ranking of keepers by the payments that they settled",
  forAgents: "Keepers ranked by payments settled, with fees, cost and lag",
  description:
    "The accounts that called remit() in the days before the newest indexed block, most payments first, with what they earned and paid.",
  bucket: "expensive",
  area: "remit",
  toolsets: ["read", "keeper"],
  input: Type.Object({
    days: inQuery(withDefault(Type.Integer({ minimum: 1, maximum: 366, description: "How far back" }), 30)),
    first,
    skip,
    ...detailInQuery,
  }),
  summarized: {
    omits: ["keepers.callerFees.amountRaw", "keepers.callerFees.tokenDecimals", "keepers.callerFees.token"],
  },
  output: chainAnswer({
    days: Count,
    keepers: described(pagedListOf(Keeper), "Most payments first"),
    ...pageFields,
    count: { ...Count, description: "Keepers in all" },
  }),
  example: { days: 30 },
  async handler(context, { days, first, skip }) {
    const { value, asOf } = await readIndexed(context, (database, scope) =>
      rankKeepers(database, scope, { days, first, skip }),
    );
    const { keepers, total, payments } = value;
    return {
      chainId: context.chain.config.chainId,
      days,
      keepers: keepers.map(({ keeper, callerFees, costWei, ...record }) => ({
        ...record,
        keeper: getAddress(keeper),
        share: payments === 0 ? 0 : Math.round((record.payments / payments) * 10_000) / 10_000,
        callerFees: callerFees.map(({ token, units }) => tokenAmount(token, units)),
        costWei: String(costWei),
      })),
      ...pageFacts({ count: total, skip, shown: keepers.length }),
      asOf,
    };
  },
});
