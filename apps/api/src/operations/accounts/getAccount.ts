import { expectToken } from "@dueday/chain/reads/expectToken";
import { expectValue, protocolRead } from "@dueday/chain/reads/protocolRead";
import { type AccountRow, accountRowsRead } from "@dueday/chain/reads/readAccountRows";
import { readMany } from "@dueday/chain/reads/readMany";
import { readTable } from "@dueday/chain/reads/readTable";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
import { Address, CalendarDate, Count } from "@dueday/core/schema";
import { ACTIVE_STATUS } from "@dueday/core/subscriptionStatus";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerRecent } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation } from "../../operation/defineOperation";
import { first, pageFacts, pageFields, skip } from "../../operation/paging";
import { FeeBalance, feeBalanceFields } from "../subscriptions/feeBalance";
import { accountAddress } from "./accountAddress";
import { presentRow, SubscriptionRow } from "./accountRow";
import { expectRows } from "./expectRows";

const nextDueDate = Type.Union(CalendarDate.anyOf, {
  description:
    "First due day that is not closed yet, today at the earliest; null where the account will not be charged or paid",
});
const Created = Type.Composite([SubscriptionRow, Type.Object({ nextDueDate })]);
const SubscribedTo = Type.Composite([SubscriptionRow, FeeBalance, Type.Object({ nextDueDate })]);

export const getAccount = defineOperation({
  name: "get_account",
  http: { method: "GET", path: "/accounts/:address" },
  summary: "An account: what it subscribed to and what it created",
  description:
    "Both lists of an account, with what it has prepaid for keepers and when each subscription falls due next. first and skip page " +
    "each list on its own; both counts are complete, and hasMore is true while either list goes on. An account that the protocol " +
    "never met has empty lists. tokenSymbol is text by whoever made the token.",
  chainScoped: true,
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read", "subscriber", "provider"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ address: accountAddress, first, skip }),
  output: chainAnswer({
    account: Address,
    subscribedTo: Type.Array(SubscribedTo),
    created: Type.Array(Created),
    subscribedToCount: Count,
    createdCount: Count,
    ...pageFields,
    count: Type.Integer({ minimum: 0, description: "Entries of the longer of both lists: that is how far to page" }),
  }),
  example: { address: "0x1111111111111111111111111111111111111111" },
  handler(context, { address, first, skip }) {
    const { contract } = context.chain.config;
    const account = getAddress(address);
    return answerRecent(context, async (client, block) => {
      const [subscribedTo, created, nextUnchecked] = await readMany(
        client,
        [
          accountRowsRead(contract, { account, bySubscriber: true }),
          accountRowsRead(contract, { account, bySubscriber: false }),
          protocolRead(contract, "nextUncheckedDay", []),
        ],
        block,
      );
      const allSubscribedTo = expectRows(subscribedTo);
      const allCreated = expectRows(created);
      const openDay = Math.max(dayNumber(block.timestamp), expectValue(nextUnchecked, "nextUncheckedDay"));
      const subscribedToPage = allSubscribedTo.slice(skip, skip + first);
      const createdPage = allCreated.slice(skip, skip + first);
      const shown = [...subscribedToPage, ...createdPage];
      const [tokens, balances] = await Promise.all([
        readTokenInfos(client, { contract, tokens: shown.map(({ record }) => record.token), block }),
        readTable(
          client,
          subscribedToPage,
          ({ record }) => [protocolRead(contract, "feeBalance", [record.id, account])],
          block,
        ),
      ]);
      const present = (row: AccountRow) => ({
        ...presentRow(row, expectToken(tokens, row.record.token)),
        nextDueDate: nextDueDateOf(row, openDay),
      });
      return {
        account,
        subscribedTo: balances.map(({ key: row, results: [feeBalance] }) => ({
          ...present(row),
          ...feeBalanceFields(expectValue(feeBalance, "feeBalance"), expectToken(tokens, row.record.token).decimals),
        })),
        created: createdPage.map(present),
        subscribedToCount: allSubscribedTo.length,
        createdCount: allCreated.length,
        ...pageFacts({
          count: Math.max(allSubscribedTo.length, allCreated.length),
          skip,
          shown: Math.max(subscribedToPage.length, createdPage.length),
        }),
      };
    });
  },
});

/** @param openDay the first day number that can still be charged for, today at the earliest */
function nextDueDateOf({ record, status }: AccountRow, openDay: number): string | null {
  if (record.cancelled || status !== ACTIVE_STATUS) return null;
  return dayToDate(nextDueDay(record.frequency, record.dueDay, openDay));
}
