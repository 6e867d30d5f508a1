import type { RpcProfile } from "@dueday/config/chains";
import type { Config } from "@dueday/config/parseConfig";
import type { ChainContext } from "../context";
import type { Job } from "./job";
import { prune } from "./prune";
import { scanDue } from "./scanDue";
import { scanForecast } from "./scanForecast";
import { scanRemit } from "./scanRemit";

const HOUR_MS = 3_600_000;
/** Interval of scans that nothing requests: in between, cheaper checks show whether something can have changed (`createQuietWatch`). */
const SCAN_EVERY_MS: Record<RpcProfile, number> = { fresh: 300_000, frugal: 1_800_000 };
/**
 * Interval of the forecasts, and of the checks whether one is due. No cheaper check requests one: where balances have changed, the watch
 * requests `scan_remit` and `scan_due` only.
 */
const FORECAST = {
  public: { everyMs: HOUR_MS, checkMs: 60_000 },
  private: { everyMs: 5_000, checkMs: 1_000 },
};

/**
 * The jobs of a chain, most urgent first. The indexer is not among them: a backfill must not keep the scans waiting.
 *
 * @param isPrivate the chain's node costs nothing
 */
export function chainJobs(
  context: ChainContext,
  { scanIntervalMs }: Pick<Config, "scanIntervalMs">,
  { isPrivate }: { isPrivate: boolean },
): Job[] {
  const everyMs = scanIntervalMs ?? SCAN_EVERY_MS[context.chain.rpcProfile];
  const { follow } = context.progress;
  const forecast = FORECAST[isPrivate ? "private" : "public"];
  return [
    { name: "scan_remit", everyMs, run: (request) => follow("scan_remit", () => scanRemit(context, request)) },
    { name: "scan_due", everyMs, run: (request) => follow("scan_due", () => scanDue(context, request)) },
    {
      name: "scan_forecast",
      everyMs: forecast.checkMs,
      run: () => follow("scan_forecast", () => scanForecast(context, forecast.everyMs)),
    },
    { name: "prune", everyMs: HOUR_MS, run: () => prune(context) },
  ];
}
