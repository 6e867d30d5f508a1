import type { Operations } from "@dueday/sdk";

/** A subscription that an account pays for or has paid for, as an answer has it. */
export type SubscribedRow = Operations["getAccount"]["output"]["subscribedTo"][number];
