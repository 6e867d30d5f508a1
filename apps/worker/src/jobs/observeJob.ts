import type { Logger } from "@dueday/config/createLogger";
import type { WorkMetrics } from "../metrics/workMetrics";
import type { Job } from "./job";

/** The same job, with a log line and a measurement for each run. The scheduler logs the error of a failed run. */
export function observeJob(job: Job, logger: Logger, metrics: Pick<WorkMetrics, "noteJob">): Job {
  return {
    ...job,
    async run(request) {
      const startedAt = performance.now();
      const elapsed = () => Math.round(performance.now() - startedAt);
      try {
        await job.run(request);
      } catch (error) {
        metrics.noteJob(job.name, "failed", elapsed());
        throw error;
      }
      metrics.noteJob(job.name, "done", elapsed());
      logger.info({ job: job.name, atLeastBlock: request.atLeastBlock?.toString(), milliseconds: elapsed() }, "job");
    },
  };
}
