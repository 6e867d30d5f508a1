export type JobName = "scan_remit" | "scan_due" | "scan_forecast" | "prune";

export type JobRequest = {
  /** The result must be of this block or a later one; null: of the present head. */
  atLeastBlock: bigint | null;
};

/** One kind of work for one chain. Handlers do not use Redis and are idempotent: a run can be repeated, also after one that died half way. */
export type Job = {
  name: JobName;
  /** The interval of the runs that are not requested. */
  everyMs: number;
  run(request: JobRequest): Promise<void>;
};
