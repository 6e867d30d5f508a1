/**
 * What a call is made for. Metrics count calls by it, and where a node accepts fewer calls than are wanted, it decides who waits.
 *
 * - `live`: a prepare, or a read that somebody waits for.
 * - `head`: the chain's latest block.
 * - `logs`: the logs of new blocks.
 * - `scan`: due lists and plans.
 * - `verify`: logs and blocks that are read again, to find what was missed.
 * - `backfill`: old blocks.
 */
export type RpcPurpose = "live" | "head" | "logs" | "scan" | "verify" | "backfill";

/** Calls of a lower number are sent first. */
export const priorities: Record<RpcPurpose, number> = { live: 0, head: 0, logs: 1, scan: 2, verify: 3, backfill: 3 };
