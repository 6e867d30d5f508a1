import type { Operations } from "@dueday/sdk";
import { formatInteger } from "../../format/formatAmount";
import { formatDuration } from "../../format/formatDate";
import { Notice } from "../../states/Notice";
import { type Column, DataTable } from "../../tables/DataTable";
import { Badge } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { Figure, Figures } from "../../ui/Figure";
import { Inset } from "../../ui/Inset";
import { TimeAgo } from "../../ui/TimeLabel";

type Chain = Operations["getStatus"]["output"]["checks"]["chains"][number];
type Usage = NonNullable<Chain["rpcUsage"]>[number];

/** One chain: how far the service has read it, and how many requests that costs its node. */
export function ChainCard({ status, name }: { status: Chain; name: string }) {
  const {
    chainId,
    rpc,
    headBlock,
    indexedBlock,
    lagSeconds,
    lastScanAt,
    scan,
    eventIndex,
    rpcUsage = [],
    reason,
  } = status;
  const units = rpcUsage.reduce((sum, { computeUnitsPerMinute }) => sum + computeUnitsPerMinute, 0);
  const calls = rpcUsage.reduce((sum, { callsPerMinute }) => sum + callsPerMinute, 0);
  return (
    <Card
      flush
      title={`${name} (${chainId})`}
      aside={
        <Badge tone={rpc.status === "ok" ? "good" : rpc.status === "down" ? "bad" : "warn"}>node {rpc.status}</Badge>
      }
    >
      <Inset>
        {(reason !== undefined || rpc.reason !== undefined) && (
          <Notice tone="warn" title="Behind">
            {[rpc.reason, reason].filter((each) => each !== undefined).join("; ")}
          </Notice>
        )}
        <Figures>
          <Figure label="Newest block">{headBlock === null ? "unknown" : formatInteger(headBlock)}</Figure>
          <Figure label="Snapshots" note={lagSeconds === null ? "no scan yet" : `${formatDuration(lagSeconds)} behind`}>
            {indexedBlock === null ? "none" : formatInteger(indexedBlock)}
          </Figure>
          <Figure label="Last scan" note={scan && scanNoteOf(scan)}>
            {lastScanAt === null ? "never" : <TimeAgo seconds={Math.floor(Date.parse(lastScanAt) / 1000)} />}
          </Figure>
          {eventIndex !== undefined && (
            <Figure label="Event index" note={indexNoteOf(eventIndex)}>
              {formatInteger(eventIndex.indexedBlock)}
            </Figure>
          )}
          <Figure label="Requests to the node" note={`${formatInteger(Math.round(calls))} calls per minute`}>
            {formatInteger(Math.round(units))} <span>CU/min</span>
          </Figure>
        </Figures>
      </Inset>
      {rpcUsage.length > 0 && (
        <DataTable
          label={`Requests to the node of ${name}`}
          columns={COLUMNS}
          rows={rpcUsage}
          rowKey={({ purpose, method }) => `${purpose} ${method}`}
        />
      )}
    </Card>
  );
}

function scanNoteOf({ subscriptions, subscriptionsRead }: NonNullable<Chain["scan"]>): string {
  if (subscriptions === null) return "the next one runs";
  return `the next one has read ${formatInteger(subscriptionsRead)} of ${formatInteger(subscriptions)} subscriptions`;
}

function indexNoteOf({ behindBlocks, percent, secondsLeft }: NonNullable<Chain["eventIndex"]>): string {
  if (behindBlocks === 0) return "complete";
  const left = secondsLeft === null ? "" : `, ${formatDuration(secondsLeft)} left`;
  return `${formatInteger(behindBlocks)} blocks behind, ${percent} %${left}`;
}

const COLUMNS: readonly Column<Usage>[] = [
  { key: "purpose", header: "Purpose", cell: ({ purpose }) => purpose },
  { key: "method", header: "Method", cell: ({ method }) => <code>{method}</code> },
  {
    key: "calls",
    header: "Calls per minute",
    align: "end",
    cell: ({ callsPerMinute }) => formatInteger(Math.round(callsPerMinute)),
  },
  {
    key: "units",
    header: "Compute units per minute",
    align: "end",
    cell: ({ computeUnitsPerMinute }) => formatInteger(Math.round(computeUnitsPerMinute)),
  },
];
