import type { Operations } from "@dueday/sdk";
import { describeDueDay } from "../format/describeTerms";
import { amountOrder } from "../format/formatAmount";
import { Amount } from "../ui/Amount";
import { PlanLabel } from "../ui/PlanLabel";
import { cleanText } from "../ui/UntrustedText";
import type { Column } from "./DataTable";

type Row = { subscription: Operations["getSubscription"]["output"]["subscription"] };

/** Names of the plans of a list by their ids; a plan without a known name is absent. */
type Names = ReadonlyMap<string, { planName: string }>;

/** The columns of a list of subscriptions: which one it is, and what is paid when. */
export const termColumns = (names: Names): readonly Column<Row>[] => [
  {
    key: "id",
    header: "Subscription",
    values: {
      Subscription: ({ subscription }) => subscription.id,
      Plan: ({ subscription: { id } }) => cleanText(names.get(id)?.planName ?? ""),
    },
    order: ({ subscription: { id } }) => cleanText(names.get(id)?.planName ?? id),
    cell: ({ subscription: { id } }) => <PlanLabel id={id} name={names.get(id)?.planName} />,
  },
  {
    key: "amount",
    header: "Amount",
    align: "end",
    values: {
      Amount: ({ subscription }) => subscription.amount,
      Token: ({ subscription }) => cleanText(subscription.tokenSymbol),
    },
    order: ({ subscription }) => amountOrder(subscription.amount),
    cell: ({ subscription: { amount, tokenSymbol } }) => <Amount amount={amount} symbol={tokenSymbol} />,
  },
  {
    key: "due",
    header: "Due",
    values: { Due: ({ subscription: { frequency, dueDay } }) => describeDueDay(frequency, dueDay) },
    cell: ({ subscription: { frequency, dueDay } }) => describeDueDay(frequency, dueDay),
  },
];
