import type { Operations } from "@dueday/sdk";

export type Health = Operations["getAccountHealth"]["output"];
/** A plan that the account pays. */
export type PaidPlan = Health["plans"][number];

/** The usual window: each monthly plan is charged in it. */
export const USUAL_DAYS = 35;
