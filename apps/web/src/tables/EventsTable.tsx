import type { Operations } from "@dueday/sdk";
import { formatTime } from "../format/formatDate";
import { AddressLabel } from "../ui/AddressLabel";
import { Amount } from "../ui/Amount";
import { Badge, type Tone } from "../ui/Badge";
import { PlanLabel } from "../ui/PlanLabel";
import { SellerLabel } from "../ui/SellerLabel";
import { type Column, DataTable } from "./DataTable";
import classes from "./EventsTable.module.css";

type Entry = Operations["getSubscriptionHistory"]["output"]["events"][number];

export type EventsTableProps = {
  events: readonly Entry[];
  /** Names of the plans by their ids; a plan without a known name is absent. */
  names: ReadonlyMap<
    string,
    { planName: string; provider: string; seller: { name: string | null; verified: boolean } }
  >;
  /** What the page is about. A row does not repeat it. */
  perspective: "subscription" | "account";
  /** For a table that is printed. */
  whole?: boolean;
};

/** What each event of the protocol means, for a person. */
export const eventWords: Readonly<Record<Entry["eventName"], readonly [words: string, tone: Tone]>> = {
  Create: ["created", "accent"],
  Cancel: ["cancelled", "bad"],
  ProviderPaid: ["provider was paid", "good"],
  Failed: ["payment failed", "bad"],
  ProviderRefund: ["refund to the provider", "neutral"],
  SubscriberPaid: ["subscriber paid", "good"],
  Subscribed: ["subscribed", "accent"],
  Unsubscribed: ["unsubscribed", "warn"],
  FeeFill: ["keeper fees prepaid", "neutral"],
  SubscriberRefund: ["refund to the subscriber", "neutral"],
};

/** Events of the protocol, newest first. */
export function EventsTable({ events, names, perspective, whole = false }: EventsTableProps) {
  const columns: readonly Column<Entry>[] = [
    {
      key: "time",
      header: "Time",
      cell: ({ timestamp }) => (
        <time className={classes.time} dateTime={new Date(timestamp * 1000).toISOString()}>
          {formatTime(timestamp)}
        </time>
      ),
    },
    { key: "event", header: "Event", cell: ({ eventName }) => <EventBadge name={eventName} /> },
    ...(perspective === "account" ? planColumns(names) : []),
    { key: "subscriber", header: "Subscriber", cell: ({ subscriber }) => <Person address={subscriber} /> },
    {
      key: "amount",
      header: "Amount",
      align: "end",
      cell: ({ amount, tokenSymbol }) => <Amount amount={amount} symbol={tokenSymbol} />,
    },
    {
      key: "transaction",
      header: "Transaction",
      cell: ({ transactionHash, finalized }) => (
        <>
          <AddressLabel value={transactionHash} kind="tx" />
          {!finalized && <Badge>not final</Badge>}
        </>
      ),
    },
  ];
  return <DataTable label="List of events" columns={columns} rows={events} rowKey={rowKeyOf} whole={whole} />;
}

const rowKeyOf = ({ transactionHash, logIndex }: Entry) => `${transactionHash} ${logIndex}`;

const planColumns = (names: EventsTableProps["names"]): readonly Column<Entry>[] => [
  {
    key: "subscription",
    header: "Subscription",
    cell: ({ id }) => <PlanLabel id={id} name={names.get(id)?.planName} />,
  },
  {
    key: "seller",
    header: "Seller",
    cell: ({ id }) => {
      const plan = names.get(id);
      return plan === undefined ? "–" : <SellerLabel address={plan.provider} seller={plan.seller} />;
    },
  },
];

function EventBadge({ name }: { name: Entry["eventName"] }) {
  const [words, tone] = eventWords[name];
  return <Badge tone={tone}>{words}</Badge>;
}

const NOBODY = /^0x0{40}$/;

/** Events of a provider alone have the zero address as subscriber. */
function Person({ address }: { address: string }) {
  return NOBODY.test(address) ? "–" : <AddressLabel value={address} kind="address" />;
}
