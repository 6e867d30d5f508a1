import type { ChainContext } from "../context";
import type { Job } from "./job";
import { prune } from "./prune";
import { scanDue } from "./scanDue";
import { scanRemit } from "./scanRemit";

const HOUR_MS = 3_600_000;

/** The jobs of a chain, most urgent first. Events are indexed beside them: a backfill must not keep the scans waiting. */
export function chainJobs(context: ChainContext, { scanIntervalMs }: { scanIntervalMs: number }): Job[] {
  return [
    { name: "scan_remit", everyMs: scanIntervalMs, run: (request) => scanRemit(context, request) },
    { name: "scan_due", everyMs: scanIntervalMs, run: (request) => scanDue(context, request) },
    { name: "prune", everyMs: HOUR_MS, run: () => prune(context) },
  ];
}
