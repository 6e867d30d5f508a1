import type { Operations } from "@dueday/sdk";
import { useDueday } from "@dueday/sdk/react";
import { Link, useNavigate } from "@tanstack/react-router";
import { describeDueDay } from "../../format/describeTerms";
import { amountOrder } from "../../format/formatAmount";
import { isHexOf } from "../../format/isHexOf";
import { ListTable } from "../../lists/ListTable";
import { PageControls } from "../../lists/PageControls";
import { usePages } from "../../live/usePages";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Amount } from "../../ui/Amount";
import { Card } from "../../ui/Card";
import type { Column } from "../../ui/DataTable";
import { LookupForm } from "../../ui/LookupForm";
import { PageHeader } from "../../ui/PageHeader";
import { PlanLabel } from "../../ui/PlanLabel";
import { SellerLabel } from "../../ui/SellerLabel";
import { SourceLink } from "../../ui/SourceLink";
import { Stack } from "../../ui/Stack";
import { cleanText } from "../../ui/UntrustedText";

type Row = Operations["searchSubscriptions"]["output"]["subscriptions"][number];

/** The newest subscriptions, and a way to open one by its id. */
export function SubscriptionsPage() {
  const navigate = useNavigate();
  const { dueday } = useDueday();
  const { query, hasNews, renew } = usePages({
    name: "searchSubscriptions",
    input: {},
    read: (cursor, options) => dueday.searchSubscriptions({ skip: Number(cursor ?? 0) }, options),
    next: ({ nextSkip }) => (nextSkip === undefined ? null : String(nextSkip)),
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
      <Answer query={query} label="the subscriptions" lines={6}>
        {({ pages }) => {
          const rows = pages.flatMap(({ subscriptions }) => subscriptions);
          const [first] = pages;
          return (
            <>
              <Card title="Subscriptions" footer={first?.asOf && <SourceLink asOf={first.asOf} />} flush>
                {rows.length === 0 ? (
                  <Empty title="No subscriptions yet">
                    Any wallet can sell. <Link to="/sell">Create the first one</Link>.
                  </Empty>
                ) : (
                  <ListTable
                    label="List of subscriptions"
                    fileName="subscriptions"
                    columns={columns}
                    rows={rows}
                    rowKey={({ id }) => id}
                  />
                )}
              </Card>
              <PageControls
                query={query}
                hasNews={hasNews}
                renew={renew}
                shown={rows.length}
                count={first?.count ?? null}
              />
            </>
          );
        }}
      </Answer>
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
  {
    key: "amount",
    header: "Amount",
    align: "end",
    values: { Amount: ({ amount }) => amount, Token: ({ tokenSymbol }) => cleanText(tokenSymbol) },
    order: ({ amount }) => amountOrder(amount),
    cell: ({ amount, tokenSymbol }) => <Amount amount={amount} symbol={tokenSymbol} />,
  },
];
