import { readRemitReadiness } from "@dueday/chain/remit/readRemitReadiness";

/** Readiness by a node alone, in the form of a service's answer: permits are kept by a service, and a node knows of none. */
export async function readOwnReadiness(...parameters: Parameters<typeof readRemitReadiness>) {
  return { ...(await readRemitReadiness(...parameters)), permits: [], afterPermits: null };
}
