import { useAccount, useDuedayQuery } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Address } from "viem";
import { countOf } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { Answer } from "../../states/Answer";
import { Amount } from "../../ui/Amount";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Figure, Figures } from "../../ui/Figure";
import { SourceLink } from "../../ui/SourceLink";
import { Stack } from "../../ui/Stack";
import { expectedCharges } from "./expectedCharges";

const DAYS = 30;
const MOST_PLANS = 200;

/** What the next 30 days bring, and who is at risk. Read on demand, because the free lane has few expensive requests. */
export function OutlookCard({ address }: { address: Address }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title="Outlook" note={`What is due in the next ${DAYS} days, and whose payment fails within one period.`}>
      {isOpen ? <Outlook address={address} /> : <Button onClick={() => setOpen(true)}>Show the outlook</Button>}
    </Card>
  );
}

function Outlook({ address }: { address: Address }) {
  const account = useAccount({ address, first: MOST_PLANS });
  const atRisk = useDuedayQuery("listAtRisk", { address, first: 1 });
  return (
    <Stack>
      <Answer query={account} label="what is expected" lines={3}>
        {({ created, createdCount, asOf }) => {
          const today = new Date(asOf.blockTimestamp * 1_000).toISOString().slice(0, 10);
          const expected = expectedCharges(created, today, DAYS);
          return (
            <Stack>
              <Figures>
                {expected.length === 0 ? (
                  <Figure label={`Expected in ${DAYS} days`} note="no plan with subscribers is due">
                    0
                  </Figure>
                ) : (
                  expected.map(({ token, symbol, amount, charges }) => (
                    <Figure
                      key={token}
                      label={`Expected in ${DAYS} days`}
                      note={`${countOf(charges, "charge")}, if each subscriber stays and pays${
                        created.length < createdCount ? `; of the first ${created.length} plans` : ""
                      }`}
                    >
                      <Amount amount={amount} symbol={symbol} digits={2} />
                    </Figure>
                  ))
                )}
              </Figures>
              <SourceLink asOf={asOf} />
            </Stack>
          );
        }}
      </Answer>
      <Answer query={atRisk} label="who is at risk" lines={2}>
        {({ count, asOf }) => (
          <Stack>
            <Figures>
              <Figure label="At risk" note="within one whole period of each plan" tone={count > 0 ? "bad" : "neutral"}>
                {formatInteger(count)}
              </Figure>
            </Figures>
            <p>
              <Link to="/providers/$address" params={{ address }} search={{ tab: "at-risk" }}>
                Who is at risk, and why
              </Link>
            </p>
            <SourceLink asOf={asOf} />
          </Stack>
        )}
      </Answer>
    </Stack>
  );
}
