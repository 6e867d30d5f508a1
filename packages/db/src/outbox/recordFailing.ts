import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { appendEvents, lockOutbox } from "./appendEvents";
import { currentState, currentStates, lockPlanBlock, type PlanBlock, writeStates } from "./recordState";
import { retractReplacedPlans } from "./retractEvents";

const FORECAST = "forecast";
/** How the subjects of payments that will fail begin; the ids of subscription and subscriber follow, in lower case. */
export const FAILING = "failing ";
/** State of a payment that will fail; the day number of its charge follows. */
export const FAILS = "fails";

/**
 * `isIndexed` is whether the index has stored anything; `recordFailing` writes nothing before. `forecastAt` and `forecastBlock` are
 * those of the newest forecast whose events were written, `remitBlock` is the newest block of a remit() in the index; null where
 * there is none.
 */
export type ForecastProgress = {
  isIndexed: boolean;
  forecastAt: Date | null;
  forecastBlock: number | null;
  remitBlock: number | null;
};

/** What decides whether a new forecast is needed. */
export async function readForecastProgress(database: Database, scope: ContractScope): Promise<ForecastProgress> {
  const { chainId, contract } = scope;
  return database.run("read the forecast's progress", async () => {
    const [row] = await database.sql<
      { indexed: boolean; at_ms: number | null; number: number | null; remit: number | null }[]
    >`
      select exists (select from index_checkpoints where chain_id = ${chainId} and contract = ${contract}) as indexed,
        (extract(epoch from s.written_at) * 1000)::float8 as at_ms, s.block_number::float8 as number,
        (select max(block_number)::float8 from caller_logs where chain_id = ${chainId} and contract = ${contract}) as remit
      from (select) one left join lateral (select * from outbox_states where chain_id = ${chainId} and contract = ${contract}
        and subject = ${FORECAST} order by block_number desc limit 1) s on true`;
    const { indexed = false, at_ms = null, number = null, remit = null } = row ?? {};
    const forecastAt = at_ms === null ? null : new Date(at_ms);
    return { isIndexed: indexed, forecastAt, forecastBlock: number, remitBlock: remit };
  });
}

/**
 * Writes the events of payments that will fail and are not announced yet. A payment that was cured in between is announced again. A failing
 * charge of the same subscriber on another day is announced as well.
 *
 * @param events one for each subscription and subscriber of whom a charge fails in the forecast at `block`
 * @returns false, with nothing written, where nothing is indexed, the block was replaced or a forecast at a later block was written
 */
export async function recordFailing(
  database: Database,
  scope: ContractScope,
  { events, block, now }: { events: readonly NewDomainEvent[]; block: PlanBlock; now: Date },
): Promise<boolean> {
  return database.run("write the payments that will fail", () =>
    database.sql.begin(async (sql) => {
      if (!(await lockPlanBlock(sql, scope, block))) return false;
      await lockOutbox(sql, scope);
      // By the chain's clock, as the days of charges.
      await sql`update outbox_counters o set announced_since = greatest(c.timestamp, c.head_timestamp) from index_checkpoints c
        where o.chain_id = ${scope.chainId} and o.contract = ${scope.contract} and o.announced_since is null
          and c.chain_id = o.chain_id and c.contract = o.contract`;
      const before = await currentState(sql, scope, FORECAST);
      if (before !== null && before.blockNumber > block.number) return false;
      await retractReplacedPlans(sql, scope, [block], now);
      const known = await currentStates(sql, scope, FAILING);
      const isFailing = (state: string) => state.startsWith(FAILS);
      const failing = new Map(events.map((event) => [subjectOf(event), event]));
      const added = [...failing].filter(([subject, event]) => !isKnown(known.get(subject)?.state, event));
      const cured = [...known].flatMap(([subject, { state }]) =>
        isFailing(state) && !failing.has(subject) ? [subject] : [],
      );
      const states = [
        ...added.map(([subject, event]) => ({ subject, state: stateOf(event) })),
        ...cured.map((subject) => ({ subject, state: "cured" })),
        { subject: FORECAST, state: "done" },
      ];
      await writeStates(sql, scope, states, { block, now });
      await appendEvents(
        sql,
        scope,
        added.map(([, event]) => ({ event, fromPlan: true })),
        now,
      );
      return true;
    }),
  );
}

/** Whether the charge is announced already. A charge on another day is a different one, even where the charge before it was to fail too. */
function isKnown(state: string | undefined, event: NewDomainEvent): boolean {
  // Earlier releases stored no day.
  return state === FAILS || state === stateOf(event);
}

function stateOf(event: NewDomainEvent): string {
  if (event.type !== "payment.will_fail") throw new Error(`expected an event payment.will_fail and not ${event.type}`);
  return `${FAILS} ${event.data.dayNumber}`;
}

function subjectOf({ type, data }: NewDomainEvent): string {
  if (type !== "payment.will_fail") throw new Error(`expected an event payment.will_fail and not ${type}`);
  return `${FAILING}${data.id} ${data.subscriber}`.toLowerCase();
}
