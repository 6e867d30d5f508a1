import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import type { PendingQuery, Row, TransactionSql } from "postgres";
import type { Hex } from "viem";
import { toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { appendEvents, lockOutbox } from "./appendEvents";
import { retractReplacedPlans } from "./retractEvents";

/** The block of a plan or a forecast. */
export type PlanBlock = { number: number; hash: Hex };

/**
 * Locks the checkpoint, so that no block is stored or taken back until the transaction ends. It has to be the first lock of a
 * transaction that records states.
 *
 * @returns whether the block can still be on the chain: false where the index has another block at its height, or no block yet
 */
export async function lockPlanBlock(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { number, hash }: PlanBlock,
): Promise<boolean> {
  const [checkpoint] =
    await sql`select from index_checkpoints where chain_id = ${chainId} and contract = ${contract} for share`;
  if (checkpoint === undefined) return false;
  const [replaced] = await sql`
    select from block_hashes, unnest(numbers, hashes) as b(number, hash)
    where chain_id = ${chainId} and contract = ${contract} and b.number = ${number} and b.hash <> ${toBytes(hash)}`;
  return replaced === undefined;
}

/** The event of a plan, its block, and the current time. */
export type PlanRecord = { event: NewDomainEvent; block: PlanBlock; now: Date };

/**
 * Writes the event of the plan where its state (the event's type) differs from the last one. What a plan or forecast of another block has
 * written at this height is retracted before. Call `lockPlanBlock` first.
 */
export async function recordPlanState(
  sql: TransactionSql,
  scope: ContractScope,
  { event, block, now }: PlanRecord,
): Promise<void> {
  await lockOutbox(sql, scope);
  const newest = await currentState(sql, scope, PLAN);
  if (newest !== null && newest.blockNumber > block.number) return;
  await retractReplacedPlans(sql, scope, [block], now);
  if ((await currentState(sql, scope, PLAN))?.state === event.type) return;
  await writeStates(sql, scope, [{ subject: PLAN, state: event.type }], { block, now });
  await appendEvents(sql, scope, [{ event, fromPlan: true }], now);
}

/** The subject of the plan's state. */
export const PLAN = "plan";

/** A state as it is at the highest block that changed it. */
export type OutboxState = { state: string; blockNumber: number };

/** The current state of a subject; null before the first. */
export async function currentState(
  sql: TransactionSql,
  scope: ContractScope,
  subject: string,
): Promise<OutboxState | null> {
  const states = await readStates(sql, scope, sql`subject = ${subject}`);
  return states.get(subject) ?? null;
}

/** The current states of the subjects that begin with `prefix`, by subject. */
export async function currentStates(
  sql: TransactionSql,
  scope: ContractScope,
  prefix: string,
): Promise<Map<string, OutboxState>> {
  return readStates(sql, scope, sql`starts_with(subject, ${prefix})`);
}

async function readStates(sql: TransactionSql, { chainId, contract }: ContractScope, which: PendingQuery<Row[]>) {
  const rows = await sql<{ subject: string; state: string; number: number }[]>`
    select distinct on (subject) subject, state, block_number::float8 as number from outbox_states
    where chain_id = ${chainId} and contract = ${contract} and ${which} order by subject, block_number desc`;
  return new Map(rows.map(({ subject, state, number }) => [subject, { state, blockNumber: number }]));
}

export async function writeStates(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  states: readonly { subject: string; state: string }[],
  { block, now }: { block: PlanBlock; now: Date },
): Promise<void> {
  for (const { subject, state } of states) {
    await sql`insert into outbox_states values (${chainId}, ${contract}, ${subject}, ${block.number}, ${toBytes(block.hash)},
        ${state}, ${now.toISOString()})
      on conflict (chain_id, contract, subject, block_number)
      do update set block_hash = excluded.block_hash, state = excluded.state, written_at = excluded.written_at`;
  }
}
