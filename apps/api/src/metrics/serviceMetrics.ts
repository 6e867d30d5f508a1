import { gauge, type Sample } from "@dueday/metrics/gauge";
import type { Registry } from "prom-client";
import type { ServedChain } from "../chains/servedChain";
import type { Check } from "../health/check";
import type { ServiceFacts } from "../operation/context";
import { provenAt } from "../snapshots/snapshotCache";

type ServiceParts = Pick<ServiceFacts, "chains" | "checks"> & { clock: () => number; openStreams(): number };

/** Registers the facts of /status as gauges, which are read from memory at each scrape. */
export function serviceMetrics(registry: Registry, { chains, clock, checks, openStreams }: ServiceParts): void {
  function perChain(name: string, help: string, value: (chain: ServedChain) => number | null): void {
    const read = () =>
      [...chains.values()].flatMap((chain): Sample[] => {
        const read = value(chain);
        return read === null ? [] : [{ labels: { chain: String(chain.config.chainId) }, value: read }];
      });
    gauge(registry, { name, help, labels: ["chain"], read });
  }

  gauge(registry, {
    name: "dueday_limiter_degraded",
    help: "1 while this process counts limits itself because Redis does not answer",
    read: () => [{ value: isOk(checks().limiter) ? 0 : 1 }],
  });
  gauge(registry, {
    name: "dueday_api_database_up",
    help: "1 while the database answers this process",
    read: () => [{ value: isOk(checks().database) ? 1 : 0 }],
  });
  gauge(registry, {
    name: "dueday_event_streams",
    help: "Event streams that are open in this process",
    read: () => [{ value: openStreams() }],
  });
  perChain("dueday_chain_up", "1 while a node of the chain answers this process", ({ monitor }) =>
    isOk(monitor.check()) ? 1 : 0,
  );
  perChain("dueday_head_block", "Newest block that this process has seen", ({ monitor }) => {
    const head = monitor.head();
    return head === null ? null : Number(head.number);
  });
  perChain(
    "dueday_head_age_seconds",
    "Time since the newest block changed, as this process saw it",
    ({ monitor }) => monitor.headAge()?.seconds ?? null,
  );
  perChain(
    "dueday_head_stopped",
    "1 while the newest block is much older than earlier newest blocks became: the node or the chain has stopped",
    ({ monitor }) => (monitor.headAge()?.isStopped === true ? 1 : 0),
  );
  perChain(
    "dueday_served_scan_age_seconds",
    "Time since the newest snapshot that this process serves was computed or confirmed",
    ({ snapshots }) => {
      const newest = snapshots.newest();
      return newest === null ? null : (clock() - provenAt(newest)) / 1000;
    },
  );
}

function isOk({ status }: Check): boolean {
  return status === "ok";
}
