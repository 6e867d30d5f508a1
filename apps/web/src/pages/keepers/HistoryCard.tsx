import type { Operations } from "@dueday/sdk";
import { useDueday } from "@dueday/sdk/react";
import { useState } from "react";
import { describeDays } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { formatDuration, formatTime } from "../../format/formatDate";
import { ListTable } from "../../lists/ListTable";
import { PageControls } from "../../lists/PageControls";
import { usePages } from "../../live/usePages";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import type { Column } from "../../tables/DataTable";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amounts, Ether } from "../../ui/Amount";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Inset } from "../../ui/Inset";
import { SourceLink } from "../../ui/SourceLink";

type Remit = Operations["listRemitHistory"]["output"]["remits"][number];

const PAGE = 25;

/** Mined remits, a page at a time. They are asked for on demand: a page costs one of the few expensive requests of the free lane. */
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
  const { query, hasNews, renew } = usePages({
    name: "listRemitHistory",
    input: {},
    read: (start, options) => dueday.listRemitHistory({ first: PAGE, ...start }, options),
  });
  return (
    <Answer query={query} label="the history" lines={6}>
      {({ pages }) => {
        const remits = pages.flatMap((page) => page.remits);
        if (remits.length === 0)
          return (
            <Empty title="No remit() has been mined yet">
              Each one is listed here, with what it paid and what it cost.
            </Empty>
          );
        return (
          <>
            <ListTable
              fileName="remits"
              readCsv={() => dueday.csv.listRemitHistory({})}
              label="Mined remits"
              columns={COLUMNS}
              rows={remits}
              rowKey={({ transactionHash }) => transactionHash}
            />
            <Inset>
              <PageControls query={query} hasNews={hasNews} renew={renew} shown={remits.length} count={null} />
              {pages[0] !== undefined && <SourceLink asOf={pages[0].asOf} />}
            </Inset>
          </>
        );
      }}
    </Answer>
  );
}

const COLUMNS: readonly Column<Remit>[] = [
  {
    key: "time",
    header: "Time",
    values: { Time: ({ timestamp }) => new Date(timestamp * 1000).toISOString() },
    cell: ({ timestamp }) => formatTime(timestamp),
  },
  {
    key: "hash",
    header: "Transaction",
    values: { Transaction: ({ transactionHash }) => transactionHash },
    cell: ({ transactionHash }) => <AddressLabel kind="tx" value={transactionHash} />,
  },
  {
    key: "keeper",
    header: "Keeper",
    values: { Keeper: ({ keeper }) => keeper },
    cell: ({ keeper }) => <AddressLabel kind="address" value={keeper} />,
  },
  { key: "days", header: "Closed", cell: ({ closedDays }) => describeDays(closedDays) },
  {
    key: "payments",
    header: "Payments",
    values: { Payments: ({ payments }) => String(payments) },
    order: ({ payments }) => payments,
    align: "end",
    cell: ({ payments }) => formatInteger(payments),
  },
  {
    key: "failures",
    header: "Failed",
    values: { Failed: ({ failures }) => String(failures) },
    order: ({ failures }) => failures,
    align: "end",
    cell: ({ failures }) => formatInteger(failures),
  },
  { key: "fees", header: "Fees", align: "end", cell: ({ callerFees }) => <Amounts amounts={callerFees} /> },
  {
    key: "cost",
    header: "Gas cost",
    values: { "Gas cost in wei": ({ costWei }) => costWei },
    order: ({ costWei }) => BigInt(costWei),
    align: "end",
    cell: ({ costWei }) => <Ether wei={costWei} />,
  },
  {
    key: "lag",
    header: "Delay",
    values: { "Delay in seconds": ({ lagSeconds }) => String(lagSeconds) },
    order: ({ lagSeconds }) => lagSeconds,
    align: "end",
    cell: ({ lagSeconds }) => formatDuration(lagSeconds),
  },
];
