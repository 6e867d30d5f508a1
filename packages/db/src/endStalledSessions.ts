import type { Sql } from "postgres";

/**
 * Ends sessions whose client has sent a part of a statement, and then nothing for `silentMs`: the client is frozen, or cut off. Such
 * sessions keep their locks, and no limit of the server ends them: the timeouts of statements and of idle transactions don't apply between
 * the messages of one statement. A `copy` is not ended, because there the server waits for rows.
 */
export async function endStalledSessions(session: Sql, silentMs: number): Promise<void> {
  await session`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = current_user and application_name = 'dueday'
      and state = 'active' and wait_event = 'ClientRead' and query !~* '^\s*copy\s'
      and state_change < clock_timestamp() - make_interval(secs => ${silentMs / 1_000})`;
}
