import type { Logger } from "@dueday/config/createLogger";
import { createFaultLog } from "../createFaultLog";
import type { Job } from "../jobs/job";
import type { WorkMetrics } from "./workMetrics";

/** The same job, with a measurement and a log line for each run; of runs that fail, as `createFaultLog` has it. */
export function observeJob(job: Job, logger: Logger, metrics: Pick<WorkMetrics, "noteJob">): Job {
  const texts = { failed: "job failed; it is repeated", succeeded: "job succeeds again" };
  const faults = createFaultLog(logger, texts, { job: job.name });
  return {
    ...job,
    async run(request) {
      const startedAt = performance.now();
      const elapsed = () => Math.round(performance.now() - startedAt);
      try {
        await job.run(request);
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
