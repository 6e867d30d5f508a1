import type { Logger } from "@dueday/config/createLogger";
import type { Job } from "../jobs/job";
import type { WorkMetrics } from "./workMetrics";

/** The same job, with a log line and a measurement for each run. Of runs that fail for the same reason one after another, the first is logged. */
export function observeJob(job: Job, logger: Logger, metrics: Pick<WorkMetrics, "noteJob">): Job {
  let lastFault: string | null = null;
  return {
    ...job,
    async run(request) {
      const startedAt = performance.now();
      const elapsed = () => Math.round(performance.now() - startedAt);
      try {
        await job.run(request);
      } catch (error) {
        metrics.noteJob(job.name, "failed", elapsed());
        const fault = faultOf(error);
        if (fault !== lastFault) logger.warn({ job: job.name, err: error }, "job failed; it is repeated");
        lastFault = fault;
        throw error;
      }
      metrics.noteJob(job.name, "done", elapsed());
      lastFault = null;
      logger.info({ job: job.name, atLeastBlock: request.atLeastBlock?.toString(), milliseconds: elapsed() }, "job");
    },
  };
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.name} ${String(Reflect.get(error, "code") ?? error.message)}`;
}
