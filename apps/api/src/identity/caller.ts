import type { Lane } from "@dueday/config/limits";
import type { Counted } from "../limits/counted";

/** Who makes a request: the lane it goes by, and whose buckets it is counted in. */
export type Caller = {
  lane: Lane;
  /** The day's hash of the client's address, for the log and the audit. */
  client: string;
  counted: Counted;
};
