import type { Operations } from "@dueday/sdk";
import { Link } from "@tanstack/react-router";
import { describeDueDay } from "../format/describeTerms";
import { Amount } from "./Amount";
import type { Column } from "./DataTable";
import { shorten } from "./shorten";

type Row = { subscription: Operations["getSubscription"]["output"]["subscription"] };

/** The columns of a list of subscriptions: which one it is, and what is paid when. */
export const termColumns: readonly Column<Row>[] = [
  {
    key: "id",
    header: "Subscription",
    cell: ({ subscription: { id } }) => (
      <Link to="/subscriptions/$id" params={{ id }}>
        <code>{shorten(id)}</code>
      </Link>
    ),
  },
  {
    key: "amount",
    header: "Amount",
    align: "end",
    cell: ({ subscription: { amount, tokenSymbol } }) => <Amount amount={amount} symbol={tokenSymbol} />,
  },
  {
    key: "due",
    header: "Due",
    cell: ({ subscription: { frequency, dueDay } }) => describeDueDay(frequency, dueDay),
  },
];
