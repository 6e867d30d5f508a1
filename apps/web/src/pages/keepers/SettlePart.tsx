import { useReadiness } from "@dueday/sdk/react";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Loading } from "../../states/Loading";
import { Card } from "../../ui/Card";
import { SourceLink } from "../../ui/SourceLink";
import { lazyWallet } from "../../wallet/lazyWallet";
import { adviceOf } from "./adviceOf";
import { HistoryCard } from "./HistoryCard";
import { ProfitCalculator } from "./ProfitCalculator";
import { RankingCard } from "./RankingCard";
import { RunCard } from "./RunCard";
import { usePrices } from "./usePrices";

const SettleCard = lazyWallet("your wallet", () => import("./SettleCard").then((module) => module.SettleCard));

/** As high as a window. */
const PLAN_LINES = 30;

/** Whether settling is worth it, who does it, and how to. */
export function SettlePart() {
  const readiness = useReadiness();
  const { data, isFetched } = readiness;
  const [prices, setPrices] = usePrices();
  const advice = data && adviceOf(data, prices);
  // All parts are shown together: the height of the plan depends on its transactions, so parts below it would move.
  // They stay while a failed request is repeated: hidden parts would send another one as soon as they are shown again.
  if (!isFetched) return <Loading label="the plan" lines={PLAN_LINES} />;
  return (
    <>
      <p>Anybody may call remit(). It charges what is due, and pays its caller a fee for each payment.</p>
      <Card
        flush
        title="Profit of the plan"
        note="The transactions must be sent in order, so what counts is the running total."
        {...(data !== undefined && { footer: <SourceLink asOf={data.asOf} /> })}
      >
        <Answer query={readiness} label="the plan" lines={6}>
          {(plan) =>
            plan.totals.transactions === 0 || advice === undefined ? (
              <Empty title="Nothing to settle">
                {plan.blockedBy?.revert.message ?? "The plan is empty until the next payments are due."}
              </Empty>
            ) : (
              <ProfitCalculator plan={plan} prices={prices} advice={advice} onPrices={setPrices} />
            )
          }
        </Answer>
      </Card>
      <SettleCard advised={advice?.isKnown ? advice.profits.best : null} />
      <RankingCard />
      <HistoryCard />
      <RunCard />
    </>
  );
}
