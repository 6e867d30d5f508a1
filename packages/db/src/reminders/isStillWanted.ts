import type { TransactionSql } from "postgres";

/** Whether the mailbox of a mail, `m` in the statement, is still that of its account, and its kind is switched on. */
export function isStillWanted(sql: TransactionSql) {
  return sql`exists (select from mailboxes b where b.account = m.account and b.mailbox_hash = m.mailbox_hash and m.wants = any(b.kinds))`;
}
