import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { useInstallation } from "../../config/ChainContext";
import { formatDuration } from "../../format/formatDate";
import { useLiveStatus } from "../../live/LiveEvents";
import { Answer } from "../../states/Answer";
import { Badge, type Tone } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { ChainCard } from "./ChainCard";
import classes from "./StatusPage.module.css";

type Status = Operations["getStatus"]["output"];
type Check = Status["checks"]["database"];

/** The service counts requests of the status but never refuses them, so the page can ask at short intervals. */
const POLL_MS = 30_000;

const tones: Readonly<Record<string, Tone>> = { ok: "good", degraded: "warn", down: "bad", off: "neutral" };
const leads: Readonly<Record<Status["status"], string>> = {
  ok: "Everything works.",
  degraded: "Part of the service is failing or behind. The rest works.",
  down: "No chain can be served right now.",
};
const live = { connecting: "off", open: "ok", broken: "down", failed: "down" } as const;

/** Whether the answers of this service can be trusted at the moment: its parts, its chains, and its requests to their nodes. */
export function StatusPage() {
  const status = useDuedayQuery("getStatus", {}, { refetchInterval: POLL_MS });
  const { data } = status;
  return (
    <Stack>
      <PageHeader title="Status" lead={data === undefined ? undefined : leads[data.status]} />
      <Answer query={status} label="the status" lines={8}>
        {(answer) => <Parts status={answer} />}
      </Answer>
    </Stack>
  );
}

function Parts({ status }: { status: Status }) {
  const { config } = useInstallation();
  const stream = useLiveStatus();
  const { database, queue, limiter, chains } = status.checks;
  const streamCheck: Check = {
    status: live[stream],
    ...(stream === "broken" && { reason: "interrupted; another one is opened soon" }),
    ...(stream === "failed" && { reason: "load the page again" }),
  };
  const parts: [string, string, Check][] = [
    ["Database", "snapshots and the event index", database],
    ["Queue", "the workers' jobs", queue],
    ["Limiter", "counts clients' requests", limiter],
    ["Event stream", "live changes for this page", streamCheck],
  ];
  return (
    <Stack>
      <Card title="Service" note={`Version ${status.version}, running for ${formatDuration(status.uptimeSeconds)}.`}>
        <dl className={classes.parts}>
          {parts.map(([name, note, check]) => (
            <div key={name}>
              <dt className={classes.name}>
                {name} <Badge tone={tones[check.status] ?? "neutral"}>{check.status}</Badge>
              </dt>
              <dd className={classes.note}>{check.reason ?? note}</dd>
            </div>
          ))}
        </dl>
      </Card>
      {chains.map((chain) => (
        <ChainCard
          key={chain.chainId}
          status={chain}
          name={config.chains.find(({ chainId }) => chainId === chain.chainId)?.name ?? `Chain ${chain.chainId}`}
        />
      ))}
    </Stack>
  );
}
