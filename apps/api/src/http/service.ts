import type { LineLog } from "@dueday/config/createLineLog";
import type { Access } from "../identity/access";
import type { NoteRequest } from "../metrics/requestMetrics";
import type { ProcessContext, ServiceFacts } from "../operation/context";
import type { Operation } from "../operation/defineOperation";

/** What serving HTTP needs. Made once, by `startApi`. */
export type Service = Omit<ServiceFacts, "operations"> &
  Pick<ProcessContext, "logger" | "clock"> & {
    operations: readonly Operation[];
    /** The part of each handler's context that is the same for all requests. */
    context: ProcessContext;
    /** Takes the log lines of requests that succeeded. */
    requestLines: LineLog;
    /** Counts each answered request. */
    noteRequest: NoteRequest;
    /** Lanes, keys and limits. */
    access: Access;
  };
