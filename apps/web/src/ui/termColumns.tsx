import type { Operations } from "@dueday/sdk";
import { Link } from "@tanstack/react-router";
import { describeDueDay } from "../format/describeTerms";
import { amountOrder } from "../format/formatAmount";
import { Amount } from "./Amount";
import type { Column } from "./DataTable";
import { ShortHex } from "./ShortHex";
import { cleanText } from "./UntrustedText";

type Row = { subscription: Operations["getSubscription"]["output"]["subscription"] };

/** The columns of a list of subscriptions: which one it is, and what is paid when. */
export const termColumns: readonly Column<Row>[] = [
  {
    key: "id",
    header: "Subscription",
    values: { Subscription: ({ subscription }) => subscription.id },
    cell: ({ subscription: { id } }) => (
      <Link to="/subscriptions/$id" params={{ id }}>
        <ShortHex value={id} />
      </Link>
    ),
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
