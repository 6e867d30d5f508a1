import { readSubscribers } from "@dueday/chain/subscriptions/readSubscribers";
import { pagedListOf, pageFields } from "@dueday/core/paging";
import { Address, Count, described, StatusLabel, SubscriptionStatus } from "@dueday/core/schema";
import { paymentCoverage } from "@dueday/core/schemas/coverage";
import { FeeBalance } from "@dueday/core/schemas/feeBalance";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { Type } from "@sinclair/typebox";
import { answerRecent } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { chainRead } from "../../operation/chainRead";
import { defineOperation } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { first, skip } from "../../operation/paging";
import { subscriptionId } from "../../operation/pathInputs";
import { answerFromEvents } from "./answerFromEvents";

/** An active subscriber of a subscription. */
const Subscriber = Type.Object({
  subscriber: Address,
  ...FeeBalance.properties,
  status: SubscriptionStatus,
  statusLabel: StatusLabel,
  ...paymentCoverage,
  atRisk: Type.Boolean({ description: "A charge fails within horizonDays" }),
});

const horizonDays = described(
  Count,
  "Days after today in which a failing charge puts a subscriber at risk: one whole period",
);

export const getSubscribers = defineOperation({
  ...chainRead,
  name: "get_subscribers",
  http: { method: "GET", path: "/subscriptions/:id/subscribers" },
  summary: "Active subscribers of a subscription",
  forAgents:
    "Active subscribers of a subscription, and who will fail: payments that are covered, the date of the first failure and its cause",
  description:
    "The subscribers that remit() would charge, with what each has prepaid for keepers, and how many of its coming charges " +
    "pass, counted over all plans that share its allowance and balance: the first that fails removes the subscriber. Where the contract's own list can't be read " +
    "(too long, or with entries that left while a remit was half way), subscribers come from the events, lowest address first, and " +
    "asOf is the newest indexed block.",
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  errors: ["NOT_FOUND", "NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ id: subscriptionId, first, skip, ...detailInQuery }),
  summarized: { omits: ["subscribers.feeBalanceRaw", "subscribers.tokenDecimals", "subscribers.status"] },
  output: chainAnswer({ horizonDays, subscribers: pagedListOf(Subscriber), ...pageFields }),
  example: { id: `0x${"12".repeat(32)}` },
  async handler(context, input) {
    const { coverage, config } = context.chain;
    const { contract } = config;
    const id = toLowerCase(input.id);
    const { first, skip } = input;
    const { page, ...stamp } = await answerRecent(context, async (client, block) => ({
      page: await readSubscribers(client, { contract, id, first, skip, block, coverage }),
    }));
    return page === null ? answerFromEvents(context, { id, first, skip }) : { ...stamp, ...page };
  },
});
