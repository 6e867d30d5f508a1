import type { Operations } from "@dueday/sdk";
import { Link } from "@tanstack/react-router";
import { describeDueDay, periodOf } from "../../format/describeTerms";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amount } from "../../ui/Amount";
import { Badge } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { DefinitionList } from "../../ui/DefinitionList";
import { SourceLink } from "../../ui/SourceLink";

export type TermsCardProps = Pick<Operations["getSubscription"]["output"], "subscription" | "asOf">;

/** What a subscription costs, when it is paid, and by whom it is sold. */
export function TermsCard({ subscription, asOf }: TermsCardProps) {
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
