import type { Operations } from "@dueday/sdk";
import { useDueday } from "@dueday/sdk/react";
import { Link, useNavigate } from "@tanstack/react-router";
import { describeDueDay } from "../../format/describeTerms";
import { isHexOf } from "../../format/isHexOf";
import { ListTable } from "../../lists/ListTable";
import { PagedCard } from "../../lists/PagedCard";
import { usePages } from "../../live/usePages";
import { Empty } from "../../states/Empty";
import type { Column } from "../../tables/DataTable";
import { amountColumn } from "../../tables/termColumns";
import { LookupForm } from "../../ui/LookupForm";
import { PageHeader } from "../../ui/PageHeader";
import { PlanLabel } from "../../ui/PlanLabel";
import { SellerLabel } from "../../ui/SellerLabel";
import { Stack } from "../../ui/Stack";
import { cleanText } from "../../ui/UntrustedText";

type Row = Operations["searchSubscriptions"]["output"]["subscriptions"][number];

/** The newest subscriptions, and a way to open one by its id. */
export function SubscriptionsPage() {
  const navigate = useNavigate();
  const { dueday } = useDueday();
  const list = usePages({
    name: "searchSubscriptions",
    input: {},
    read: (start, options) => dueday.searchSubscriptions(start, options),
  });
  return (
    <Stack>
      <PageHeader title="Subscriptions" lead="Open subscriptions, newest first." />
      <LookupForm
        label="Open a subscription by its id"
        isValid={(text) => isHexOf(32, text)}
        hint="0x followed by 64 hex digits"
        onOpen={(id) => void navigate({ to: "/subscriptions/$id", params: { id } })}
      />
      <PagedCard
        list={list}
        label="the subscriptions"
        title="Subscriptions"
        rowsOf={({ subscriptions }) => subscriptions}
        empty={() => (
          <Empty title="No subscriptions yet">
            Any wallet can sell. <Link to="/sell">Create the first one</Link>.
          </Empty>
        )}
      >
        {(rows) => (
          <ListTable
            label="List of subscriptions"
            fileName="subscriptions"
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
          />
        )}
      </PagedCard>
    </Stack>
  );
}

const columns: readonly Column<Row>[] = [
  {
    key: "id",
    header: "Subscription",
    values: { Subscription: ({ id }) => id, Plan: ({ planName }) => cleanText(planName) },
    order: ({ planName }) => cleanText(planName),
    cell: ({ id, planName }) => <PlanLabel id={id} name={planName} />,
  },
  {
    key: "provider",
    header: "Provider",
    values: { Provider: ({ provider }) => provider, Seller: ({ seller }) => cleanText(seller.name ?? "") },
    cell: ({ provider, seller }) => <SellerLabel address={provider} seller={seller} />,
  },
  {
    key: "due",
    header: "Due",
    values: { Due: ({ frequency, dueDay }) => describeDueDay(frequency, dueDay) },
    cell: ({ frequency, dueDay }) => describeDueDay(frequency, dueDay),
  },
  amountColumn((row) => row),
];
