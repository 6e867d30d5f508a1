import { useSubscription } from "@dueday/sdk/react";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { describeDueDay, periodOf } from "../../format/describeTerms";
import { Answer } from "../../states/Answer";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amount } from "../../ui/Amount";
import { Badge } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { DefinitionList } from "../../ui/DefinitionList";
import { PageHeader } from "../../ui/PageHeader";
import { SourceLink } from "../../ui/SourceLink";
import { Columns, Stack } from "../../ui/Stack";
import { readTab, Tabs } from "../../ui/Tabs";
import { lazyWallet } from "../../wallet/lazyWallet";
import { DetailsCard } from "./DetailsCard";
import { HistoryCard } from "./HistoryCard";
import { ShareCard } from "./ShareCard";
import { SubscribersCard } from "./SubscribersCard";

const tabs = [
  ["overview", "Overview"],
  ["subscribers", "Subscribers"],
  ["history", "History"],
] as const;

const MembershipCard = lazyWallet("your subscription", () =>
  import("./MembershipCard").then((module) => module.MembershipCard),
);
const ManageCards = lazyWallet("what its provider can do", () =>
  import("./ManageCards").then((module) => module.ManageCards),
);

/** One subscription: its terms, who pays it, what happened, and what a wallet can do with it. Each tab is one expensive request. */
export function SubscriptionPage() {
  const { id } = useParams({ from: "/subscriptions/$id" });
  const { tab: wanted } = useSearch({ from: "/subscriptions/$id" });
  const tab = readTab(tabs, wanted);
  const query = useSubscription({ id });
  // Each subscription has its own page: what was typed or confirmed for another one must not be shown here.
  return (
    <Stack key={id}>
      <PageHeader title="Subscription" lead={<AddressLabel value={id} kind="id" />} />
      <Answer query={query} label="the subscription" lines={5}>
        {({ subscription, asOf }) => (
          <>
            <Tabs label="Parts of this subscription" tabs={tabs} current={tab} />
            {tab === "overview" && (
              <Columns>
                <Stack>
                  <TermsCard subscription={subscription} asOf={asOf} />
                  <DetailsCard id={id} />
                  <ManageCards subscription={subscription} />
                </Stack>
                <Stack>
                  <MembershipCard subscription={subscription} />
                  <ShareCard />
                </Stack>
              </Columns>
            )}
            {tab === "subscribers" && <SubscribersCard subscription={subscription} />}
            {tab === "history" && <HistoryCard id={id} />}
          </>
        )}
      </Answer>
    </Stack>
  );
}

type Answered = NonNullable<ReturnType<typeof useSubscription>["data"]>;

function TermsCard({ subscription, asOf }: Pick<Answered, "subscription" | "asOf">) {
  const { amount, tokenSymbol, token, frequency, dueDay, provider, cancelled } = subscription;
  return (
    <Card
      title="Terms"
      aside={cancelled ? <Badge tone="bad">Cancelled</Badge> : <Badge tone="good">Open</Badge>}
      footer={<SourceLink asOf={asOf} />}
    >
      <DefinitionList
        items={[
          [
            "Amount",
            <>
              <Amount amount={amount} symbol={tokenSymbol} /> each {periodOf(frequency)}
            </>,
          ],
          ["Due", describeDueDay(frequency, dueDay)],
          ["Token", <AddressLabel key="token" value={token} kind="address" />],
          [
            "Provider",
            <>
              <AddressLabel value={provider} kind="address" />{" "}
              <Link to="/providers/$address" params={{ address: provider }}>
                Income and profile
              </Link>
            </>,
          ],
        ]}
      />
    </Card>
  );
}
