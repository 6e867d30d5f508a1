import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { timestampToIso } from "@dueday/core/calendar/dates";
import { listOf, pagedListOf } from "@dueday/core/paging";
import {
  Address,
  Bytes32,
  Count,
  DayNumber,
  described,
  IntegerString,
  IsoTime,
  TokenAmount,
} from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { listRemits, type StoredRemit } from "@dueday/db/history/listRemits";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { chainAnswer } from "../../operation/chainAnswer";
import { indexedRead } from "../../operation/chainRead";
import { Cursor, readCursor, toCursor } from "../../operation/cursor";
import { dateInQuery, readTimeRange } from "../../operation/dates";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { after } from "../../operation/historyAnswer";
import { first } from "../../operation/paging";
import { readIndexed } from "../../operation/readIndexed";

const Remit = Type.Object({
  transactionHash: Bytes32,
  blockNumber: IntegerString,
  timestamp: described(Count, "Unix seconds"),
  formattedTimestamp: IsoTime,
  keeper: { ...Address, description: "The caller of remit()" },
  closedDays: described(
    listOf(DayNumber),
    "Days that it closed; empty where it stopped at a page break before it had closed one",
  ),
  payments: { ...Count, description: "Failures included" },
  failures: Count,
  callerFees: described(listOf(TokenAmount), "What the keeper received"),
  gasUsed: IntegerString,
  costWei: { ...IntegerString, description: "What the keeper paid for gas, the fee of an L1 included" },
  lagSeconds: described(
    Count,
    "Seconds from 00:00 UTC on the oldest day whose payments it settled (without payments, on the last day that it reached) to its block",
  ),
});

export const listRemitHistory = defineOperation({
  ...indexedRead,
  name: "list_remit_history",
  http: { method: "GET", path: "/remit/history" },
  summary: "Mined remit() transactions with their payments, fees, gas and lag, newest first",
  forAgents: "Past remit() transactions: what each settled, earned and cost",
  description:
    "One entry for each transaction that called remit(), newest first. callerFees is what its caller received, costWei what it paid " +
    "for gas. after is nextAfter of the page before and goes on from there, at any depth. The answer is true for the newest indexed block.",
  bucket: "expensive",
  area: "remit",
  toolsets: ["read", "keeper"],
  input: Type.Object({
    keeper: inQuery(Type.Optional({ ...Address, description: "Only calls by this account" })),
    fromDate: dateInQuery("First day, UTC"),
    toDate: dateInQuery("Last day, UTC"),
    first,
    after,
    ...detailInQuery,
  }),
  csvRows: "remits",
  summarized: {
    omits: ["blockNumber", "timestamp", "callerFees.amountRaw", "callerFees.tokenDecimals", "callerFees.token"].map(
      (name) => `remits.${name}`,
    ),
  },
  output: chainAnswer({
    remits: described(pagedListOf(Remit), "Newest first"),
    hasMore: Type.Boolean({ description: "Whether there are older ones" }),
    nextAfter: Type.Optional(described(Cursor, "after of the next page; present while there is one")),
  }),
  example: { first: 10 },
  async handler(context, { keeper, first, after, ...range }) {
    const filters = {
      ...(keeper !== undefined && { keeper: toLowerCase(getAddress(keeper)) }),
      ...readTimeRange(range),
    };
    const page = { first, after: after === undefined ? undefined : readCursor(after) };
    const { value, asOf } = await readIndexed(context, (database, scope) => listRemits(database, scope, filters, page));
    const { remits, hasMore } = value;
    const last = hasMore ? remits.at(-1) : undefined;
    return {
      chainId: context.chain.config.chainId,
      remits: remits.map(presentRemit),
      hasMore,
      ...(last !== undefined && { nextAfter: toCursor(last) }),
      asOf,
    };
  },
});

function presentRemit({
  logIndex: _,
  blockNumber,
  timestamp,
  keeper,
  callerFees,
  gasUsed,
  costWei,
  ...rest
}: StoredRemit) {
  return {
    ...rest,
    blockNumber: String(blockNumber),
    timestamp,
    formattedTimestamp: timestampToIso(timestamp),
    keeper: getAddress(keeper),
    callerFees: callerFees.map(({ token, units }) => tokenAmount(token, units)),
    gasUsed: String(gasUsed),
    costWei: String(costWei),
  };
}
