import type { Logger } from "@dueday/config/createLogger";
import type { Traces } from "@dueday/metrics/traces/traces";
import { createFaultLog } from "../createFaultLog";
import type { Job } from "../jobs/job";
import type { WorkMetrics } from "./workMetrics";

type Observers = {
  chainId: number;
  logger: Logger;
  metrics: Pick<WorkMetrics, "noteJob">;
  traces: Traces | null;
};

/** The same job, with a measurement for each run, a span where traces are on, and a log line for each run that succeeds. `createFaultLog` logs each different failure once. */
export function observeJob(job: Job, { chainId, logger, metrics, traces }: Observers): Job {
  const texts = { failed: "job failed; it is repeated", succeeded: "job succeeds again" };
  const faults = createFaultLog(logger, texts, { job: job.name });
  const run: Job["run"] =
    traces === null
      ? job.run
      : (request) => traces.run(job.name, { "dueday.chain_id": chainId }, () => job.run(request));
  return {
    ...job,
    async run(request) {
      const startedAt = performance.now();
      const elapsed = () => Math.round(performance.now() - startedAt);
      try {
        await run(request);
      } catch (error) {
        metrics.noteJob(job.name, "failed", elapsed());
        faults.failed(error);
        throw error;
      }
      metrics.noteJob(job.name, "done", elapsed());
      faults.succeeded();
      logger.info({ job: job.name, atLeastBlock: request.atLeastBlock?.toString(), milliseconds: elapsed() }, "job");
    },
  };
}
