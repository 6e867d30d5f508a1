export type JobName = "scan_remit" | "scan_due" | "prune";

/** What a run of a job has to reach. */
export type JobRequest = {
  /** The first block that the result must speak of; null: whatever the head is now. */
  atLeastBlock: bigint | null;
};

/** One kind of work for one chain. Handlers know no Redis and are idempotent: a run that is repeated, or died half way, changes nothing. */
export type Job = {
  name: JobName;
  /** Runs that often without being asked. */
  everyMs: number;
  run(request: JobRequest): Promise<void>;
};
