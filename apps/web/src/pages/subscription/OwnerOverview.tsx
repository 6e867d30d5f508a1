import { useState } from "react";
import { describeDueDay, periodOf } from "../../format/describeTerms";
import { decimalToUnits, formatInteger, unitsToDecimal } from "../../format/formatAmount";
import { Notice } from "../../states/Notice";
import { Amount } from "../../ui/Amount";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Figure, Figures } from "../../ui/Figure";
import { Columns, Stack } from "../../ui/Stack";
import { ButtonCard } from "./ButtonCard";
import { CancelCard } from "./CancelCard";
import { DetailsCard } from "./DetailsCard";
import { EditDetailsCard } from "./EditDetailsCard";
import type { Subscription } from "./ofSubscription";
import { ShareCard } from "./ShareCard";
import { SubscribersList } from "./SubscribersList";
import { TermsCard, type TermsCardProps } from "./TermsCard";
import { useSubscriberPages } from "./useSubscriberPages";

/** A subscription as its provider sees it: how to sell it, what it earns, who pays, and on demand its terms and the button that cancels it. */
export function OwnerOverview({ subscription, asOf }: TermsCardProps) {
  const { id, cancelled } = subscription;
  const list = useSubscriberPages(id);
  const [isEdited, setEdited] = useState(false);
  return (
    <Stack>
      {cancelled ? (
        <Notice tone="neutral" title="Cancelled">
          You have cancelled this plan: it charges nothing any more, and takes no new subscribers.
        </Notice>
      ) : (
        <Columns>
          <ShareCard id={id} />
          <ButtonCard subscription={subscription} />
        </Columns>
      )}
      <FiguresCard subscription={subscription} count={list.query.data?.pages[0]?.count ?? null} />
      <SubscribersList subscription={subscription} list={list} />
      <p>
        <Button aria-expanded={isEdited} onClick={() => setEdited(!isEdited)}>
          {cancelled ? "Edit the details" : "Edit or cancel"}
        </Button>
      </p>
      {isEdited && (
        <Columns>
          <Stack>
            <TermsCard subscription={subscription} asOf={asOf} />
            <DetailsCard id={id} />
          </Stack>
          <Stack>
            <EditDetailsCard subscription={subscription} />
            <CancelCard subscription={subscription} />
          </Stack>
        </Columns>
      )}
    </Stack>
  );
}

/** @param count number of active subscribers; null until it is known */
function FiguresCard({ subscription, count }: { subscription: Subscription; count: number | null }) {
  const { amount, tokenSymbol, tokenDecimals, frequency, dueDay, cancelled } = subscription;
  const units = decimalToUnits(amount, tokenDecimals) ?? 0n;
  return (
    <Card title="Figures">
      <Figures>
        <Figure label="Subscribers" note={cancelled ? "on its list; none of them pays any more" : "who pay now"}>
          {count === null ? "…" : formatInteger(count)}
        </Figure>
        {!cancelled && (
          <Figure label={`Each ${periodOf(frequency)}`} note="if each of them pays">
            {count === null ? (
              "…"
            ) : (
              <Amount amount={unitsToDecimal(units * BigInt(count), tokenDecimals)} symbol={tokenSymbol} />
            )}
          </Figure>
        )}
        <Figure label="Price" note={describeDueDay(frequency, dueDay)}>
          <Amount amount={amount} symbol={tokenSymbol} />
        </Figure>
      </Figures>
    </Card>
  );
}
