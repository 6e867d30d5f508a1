import type { Database } from "../connectDatabase";

/** How often requests may be sent to a destination: `perSecond` on average, with `burst` at once. */
export type TargetRate = { perSecond: number; burst: number };

/** A destination host or address, with its rate. */
export type Target = { target: string; rate: TargetRate };

/** A time that is further ahead than any rate allows was written before the clock was set back. */
const AHEAD_MS = 60_000;

/**
 * Takes one request from the rate of each destination, for all workers together, by the database's clock, so that no request follows
 * another too soon where the clocks of two workers differ. Where the rate of one destination is used up, nothing may be sent; requests
 * taken from the other rates are not given back.
 *
 * @param targets no destination twice
 * @returns 0 where all had one left, else milliseconds after which to try again
 */
export async function takeTargets(database: Database, targets: readonly Target[]): Promise<number> {
  const { sql } = database;
  const stepsMs = targets.map(({ rate }) => 1_000 / rate.perSecond);
  const roomsMs = targets.map(({ rate }) => ((rate.burst - 1) * 1_000) / rate.perSecond);
  const names = targets.map(({ target }) => target);
  const taken = await database.run(
    "take from the rates of destinations",
    () => sql<{ target: string }[]>`
      with wanted as (
        select target, step * interval '1 millisecond' as step, room * interval '1 millisecond' as room
        from unnest(${names}::text[], ${stepsMs}::float8[], ${roomsMs}::float8[]) as given (target, step, room)
      )
      insert into webhook_targets as t (target, used_until)
      select target, clock_timestamp() + step from wanted order by target
      on conflict (target) do update
        set used_until = greatest(least(t.used_until, clock_timestamp() + (select room from wanted w where w.target = t.target)),
          clock_timestamp()) + (select step from wanted w where w.target = t.target)
        where t.used_until <= clock_timestamp() + (select room from wanted w where w.target = t.target)
          or t.used_until > clock_timestamp() + (select room from wanted w where w.target = t.target) + ${AHEAD_MS} * interval '1 millisecond'
      returning t.target`,
  );
  if (taken.length === targets.length) return 0;
  const granted = new Set(taken.map(({ target }) => target));
  return Math.max(...targets.flatMap(({ target }, index) => (granted.has(target) ? [] : [stepsMs[index] ?? 0])));
}
