import { useReadiness } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useConnection } from "wagmi";
import { countOf, someOf } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Amounts } from "../../ui/Amount";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { DefinitionList } from "../../ui/DefinitionList";
import { SourceLink } from "../../ui/SourceLink";
import { Row, Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";

export type SettleCardProps = {
  /** Number of pages that are worth settling at the reader's prices; null where a price or the gas is not known. */
  advised: number | null;
};

/** The connected wallet settles what is due, as a keeper: each page is prepared, checked and signed separately. */
export function SettleCard({ advised }: SettleCardProps) {
  const query = useReadiness();
  const { address } = useConnection();
  const { run, progress, isBusy } = useWalletAction();
  const [settled, setSettled] = useState(0);
  const goesOn = useRef(false);
  const [isRunning, setRunning] = useState(false);

  // When the reader leaves this page of the app, the wallet is not asked to sign the next transaction.
  useEffect(
    () => () => {
      goesOn.current = false;
    },
    [],
  );

  const settleOne = () =>
    run({
      sign: (actions, callbacks) => actions.remit(callbacks),
      confirm: (dueday, options) => dueday.getRemitReadiness({}, options),
    });
  const settle = async (pages: number) => {
    goesOn.current = true;
    setRunning(true);
    for (let page = 0; page < pages && goesOn.current; page++) {
      if ((await settleOne()) === null) break;
      setSettled((before) => before + 1);
    }
    setRunning(false);
  };
  const stop = () => {
    goesOn.current = false;
    setRunning(false);
  };

  return (
    <Card
      title="Settle as a keeper"
      note="Your wallet signs one remit() for each page, and gets the fees of the payments in it."
      footer={query.data && <SourceLink asOf={query.data.asOf} />}
    >
      <Answer query={query} label="the plan">
        {({ ready, reason, totals, plan, blockedBy }) => {
          const [next] = plan.transactions;
          const pages = advised ?? totals.transactions;
          return (
            <Stack>
              {ready && next !== undefined ? (
                <>
                  <DefinitionList
                    items={[
                      ["Next page", `${countOf(next.payments, "payment")}, ${someOf(next.failures)} will fail`],
                      ["Its fees", <Amounts key="fees" amounts={next.callerFees} />],
                      ["Pages to settle", formatInteger(totals.transactions)],
                      ["Worth settling", advised === null ? null : formatInteger(advised)],
                    ]}
                  />
                  <Row>
                    <SignButton isBusy={isBusy || isRunning} onSign={() => void settle(1)}>
                      Settle the next page
                    </SignButton>
                    {address !== undefined && pages > 1 && !isRunning && !isBusy && (
                      <Button onClick={() => void settle(pages)}>
                        {`Settle ${pages === totals.transactions ? "all" : "the first"} ${formatInteger(pages)} pages`}
                      </Button>
                    )}
                  </Row>
                </>
              ) : reason === "blocked" ? (
                <Empty title="remit() is blocked">{blockedBy?.revert?.message}</Empty>
              ) : (
                <Empty title="Nothing is due">
                  Everything up to today is settled. <Link to="/calendar">See what is due next</Link>.
                </Empty>
              )}
              {isRunning && totals.transactions > 1 && <Button onClick={stop}>Stop after this page</Button>}
              <ActionStatus
                progress={progress}
                done={settled === 1 ? "The page is settled." : `${formatInteger(settled)} pages are settled.`}
              />
            </Stack>
          );
        }}
      </Answer>
    </Card>
  );
}
