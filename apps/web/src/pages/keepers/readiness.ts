import type { Operations } from "@dueday/sdk";

/** The answer of GET /remit/readiness. */
export type Readiness = Operations["getRemitReadiness"]["output"];
