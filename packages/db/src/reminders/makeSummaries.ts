import { formatUnits } from "@dueday/core/amounts/decimalText";
import { dayToDate } from "@dueday/core/calendar/dates";
import { DAY_MS, DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { cleanText } from "@dueday/core/text/cleanText";
import type { Database } from "../connectDatabase";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { insertMail } from "./insertMail";
import { lockProgress } from "./lockProgress";

/** Day number of the first Monday, 5 January 1970. */
const FIRST_MONDAY = 4;
/** A week is summed up when the index has this much of the week after it: the last blocks of the old week are safe by then. */
const SETTLED_SECONDS = 3_600;

type SumRow = Record<"paid" | "failed", string> &
  Record<"payments" | "failures", number> & { symbol: string | null; decimals: number | null };

/** Makes the summaries of the week that ended last, for sellers whose mailbox was confirmed before it ended. Each seller gets one. */
export async function makeSummaries(database: Database, scope: ContractScope, now: Date): Promise<void> {
  const { chainId, contract } = scope;
  await database.run("make summaries", () =>
    database.sql.begin(async (sql) => {
      await lockProgress(sql, scope);
      const [indexed] = await sql<{ at: number }[]>`
        select timestamp::float8 as at from index_checkpoints where chain_id = ${chainId} and contract = ${contract}`;
      if (indexed === undefined) return;
      const today = Math.floor((indexed.at - SETTLED_SECONDS) / DAY_SECONDS);
      const monday = today - ((today - FIRST_MONDAY) % 7);
      const subject = `${chainId} week ${monday}`;
      const sellers = await sql<{ account: Uint8Array; hash: Uint8Array; subscribers: number }[]>`
        select b.account, b.mailbox_hash as hash,
          coalesce(sum(s.active_subscribers) filter (where s.cancelled_block is null), 0)::int as subscribers
        from mailboxes b join subscriptions s on s.chain_id = ${chainId} and s.contract = ${contract} and s.provider = b.account
        where 'weekly_summary' = any(b.kinds) and b.confirmed_at < ${new Date(monday * DAY_MS).toISOString()}
          and not exists (select from mails m where m.account = b.account and m.subject = ${subject})
        group by b.account, b.mailbox_hash`;
      for (const { account, hash, subscribers } of sellers) {
        const rows = await sql<SumRow[]>`
          select sum(d.paid)::text as paid, sum(d.failed)::text as failed, sum(d.charges)::int as payments, sum(d.failures)::int as failures,
            t.symbol, t.decimals
          from daily_money d left join indexed_tokens t on t.chain_id = d.chain_id and t.contract = d.contract and t.token = d.token
          where d.chain_id = ${chainId} and d.contract = ${contract} and d.account = ${account} and d.role = 0
            and d.day between ${monday - 7} and ${monday - 1} group by d.token, t.symbol, t.decimals order by d.token`;
        // Nothing to sum up: the seller had no payments, and has no subscribers.
        if (rows.length === 0 && subscribers === 0) continue;
        const tokens = rows.map(({ paid, failed, payments, failures, symbol, decimals }) => ({
          amount: formatUnits(BigInt(paid), decimals ?? 18),
          failed: formatUnits(BigInt(failed), decimals ?? 18),
          symbol: cleanText(symbol ?? "").text,
          payments,
          failures,
        }));
        const [from, to] = [dayToDate(monday - 7) ?? "", dayToDate(monday - 1) ?? ""];
        const mail = {
          account: fromBytes(account),
          mailboxHash: fromBytes(hash),
          subject,
          wants: "weekly_summary",
          facts: { kind: "week", from, to, tokens, subscribers },
          scope,
        } as const;
        await insertMail(sql, mail, now);
      }
    }),
  );
}
