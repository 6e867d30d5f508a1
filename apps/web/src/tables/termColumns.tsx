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

/** The column that names the plan of a row, as a link to its page. @param idOf id of the plan */
export const planColumn = <Row,>(names: Names, idOf: (row: Row) => string): Column<Row> => ({
  key: "id",
  header: "Subscription",
  values: { Subscription: idOf, Plan: (row) => cleanText(names.get(idOf(row))?.planName ?? "") },
  order: (row) => cleanText(names.get(idOf(row))?.planName ?? idOf(row)),
  cell: (row) => <PlanLabel id={idOf(row)} name={names.get(idOf(row))?.planName} />,
});

/** The column of an amount of a row. */
export const amountColumn = <Row,>(
  amountOf: (row: Row) => { amount: string; tokenSymbol: string },
  header = "Amount",
): Column<Row> => ({
  key: "amount",
  header,
  align: "end",
  values: { [header]: (row) => amountOf(row).amount, Token: (row) => cleanText(amountOf(row).tokenSymbol) },
  order: (row) => amountOrder(amountOf(row).amount),
  cell: (row) => <Amount amount={amountOf(row).amount} symbol={amountOf(row).tokenSymbol} />,
});

/** The columns of a list of subscriptions: which one it is, and what is paid when. */
export const termColumns = (names: Names): readonly Column<Row>[] => [
  planColumn(names, ({ subscription }) => subscription.id),
  amountColumn(({ subscription }) => subscription),
  {
    key: "due",
    header: "Due",
    values: { Due: ({ subscription: { frequency, dueDay } }) => describeDueDay(frequency, dueDay) },
    cell: ({ subscription: { frequency, dueDay } }) => describeDueDay(frequency, dueDay),
  },
];
