import { expectToken } from "@dueday/chain/reads/expectToken";
import { accountRowsRead } from "@dueday/chain/reads/readAccountRows";
import { readMany } from "@dueday/chain/reads/readMany";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerRecent } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { first, pageFacts, pageFields, skip } from "../../operation/paging";
import { accountAddress } from "./accountAddress";
import { presentRow, SubscriptionRow } from "./accountRow";
import { expectRows } from "./expectRows";

export const getAccountSubscriptions = defineOperation({
  name: "get_account_subscriptions",
  http: { method: "GET", path: "/accounts/:address/subscriptions" },
  summary: "Subscriptions that an account created, or subscribed to",
  description:
    "Created as a provider, or with bySubscriber=true subscribed to, those that were left or cancelled included. status is the " +
    "account's own: a subscriber stays active when the provider cancels, which subscription.cancelled tells. In the order of first " +
    "creating or subscribing. tokenSymbol is text by whoever made the token.",
  chainScoped: true,
  bucket: "expensive",
  area: "subscriptions",
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({
    address: accountAddress,
    bySubscriber: inQuery(
      Type.Boolean({ default: false, description: "true: what it subscribed to; false: what it created" }),
    ),
    first,
    skip,
  }),
  output: chainAnswer({
    account: Address,
    bySubscriber: Type.Boolean(),
    subscriptions: Type.Array(SubscriptionRow),
    ...pageFields,
  }),
  example: { address: "0x1111111111111111111111111111111111111111", bySubscriber: true },
  handler(context, { address, bySubscriber, first, skip }) {
    const { contract } = context.chain.config;
    const account = getAddress(address);
    return answerRecent(context, async (client, block) => {
      const [result] = await readMany(client, [accountRowsRead(contract, { account, bySubscriber })], block);
      const rows = expectRows(result);
      const page = rows.slice(skip, skip + first);
      const tokens = await readTokenInfos(client, { contract, tokens: page.map(({ record }) => record.token), block });
      return {
        account,
        bySubscriber,
        subscriptions: page.map((row) => presentRow(row, expectToken(tokens, row.record.token))),
        ...pageFacts({ count: rows.length, skip, shown: page.length }),
      };
    });
  },
});
