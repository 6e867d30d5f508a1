import type { Operations } from "@dueday/sdk";
import { DUEDAY_KEY, useDueday } from "@dueday/sdk/react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeDays } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { formatDuration, formatTime } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amounts, Ether } from "../../ui/Amount";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { type Column, DataTable } from "../../ui/DataTable";
import { Inset } from "../../ui/Inset";
import { SourceLink } from "../../ui/SourceLink";

type Page = Operations["listRemitHistory"]["output"];
type Remit = Page["remits"][number];

const PAGE = 25;

/** Mined remits, a page at a time. It is asked for on demand: it costs one of the few expensive requests of the free lane. */
export function HistoryCard() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card flush title="History" note="Every mined remit(), newest first.">
      {isOpen ? (
        <History />
      ) : (
        <Inset>
          <Button onClick={() => setOpen(true)}>Show the history</Button>
        </Inset>
      )}
    </Card>
  );
}

function History() {
  const { dueday } = useDueday();
  const history = useInfiniteQuery<
    Page,
    Error,
    { remits: Remit[]; asOf: Page["asOf"] | undefined },
    readonly unknown[],
    string | undefined
  >({
    queryKey: [DUEDAY_KEY, "listRemitHistory", "pages"],
    queryFn: ({ pageParam: after, signal }) =>
      dueday.listRemitHistory({ first: PAGE, ...(after !== undefined && { after }) }, { signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextAfter }) => nextAfter,
    select: ({ pages }) => ({ remits: pages.flatMap(({ remits }) => remits), asOf: pages[0]?.asOf }),
    retry: false,
  });
  const { hasNextPage, fetchNextPage, isFetchingNextPage } = history;
  return (
    <Answer query={history} label="the history" lines={6}>
      {({ remits, asOf }) =>
        remits.length === 0 ? (
          <Empty title="No remit() was mined yet">Each one is listed here, with what it paid and what it cost.</Empty>
        ) : (
          <>
            <DataTable
              label="Mined remits"
              columns={COLUMNS}
              rows={remits}
              rowKey={({ transactionHash }) => transactionHash}
            />
            <Inset>
              {hasNextPage && (
                <p>
                  <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                    {isFetchingNextPage ? "Loading" : "Show older ones"}
                  </Button>
                </p>
              )}
              {asOf !== undefined && <SourceLink asOf={asOf} />}
            </Inset>
          </>
        )
      }
    </Answer>
  );
}

const COLUMNS: readonly Column<Remit>[] = [
  { key: "time", header: "Time", cell: ({ timestamp }) => formatTime(timestamp) },
  {
    key: "hash",
    header: "Transaction",
    cell: ({ transactionHash }) => <AddressLabel kind="tx" value={transactionHash} />,
  },
  { key: "keeper", header: "Keeper", cell: ({ keeper }) => <AddressLabel kind="address" value={keeper} /> },
  { key: "days", header: "Closed", cell: ({ closedDays }) => describeDays(closedDays) },
  { key: "payments", header: "Payments", align: "end", cell: ({ payments }) => formatInteger(payments) },
  { key: "failures", header: "Failed", align: "end", cell: ({ failures }) => formatInteger(failures) },
  { key: "fees", header: "Fees", align: "end", cell: ({ callerFees }) => <Amounts amounts={callerFees} /> },
  {
    key: "cost",
    header: "Gas cost",
    align: "end",
    cell: ({ costWei }) => <Ether wei={costWei} />,
  },
  { key: "lag", header: "Delay", align: "end", cell: ({ lagSeconds }) => formatDuration(lagSeconds) },
];
