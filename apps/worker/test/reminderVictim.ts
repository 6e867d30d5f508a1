import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { createMailSecrets } from "@dueday/db/reminders/mailSecrets";
import { openMailServer } from "@dueday/worker/reminders/openMailServer";
import { startReminders } from "@dueday/worker/reminders/startReminders";
import { SECRETS_KEY } from "./createReminderFixture";

/** A worker's reminders in a separate process, which a test kills: URL of the database, chain, contract, URL of the mail server, time. */
const [databaseUrl = "", chainId = "", contract = "", smtpUrl = "", now = ""] = process.argv.slice(2);
const settings = {
  smtpUrl,
  from: "Dueday <reminders@dueday.example>",
  replyTo: null,
  publicUrl: "https://dueday.example",
};
startReminders({
  database: connectDatabase({ url: databaseUrl }),
  databaseUrl,
  contracts: [{ chainId: Number(chainId), contract }],
  secrets: createMailSecrets(SECRETS_KEY),
  settings,
  server: openMailServer(settings),
  clock: () => Number(now),
  random: () => 0,
  logger: createLogger(parseConfig({ LOG_LEVEL: "silent" }), { write() {} }),
  metrics: { noteAttempt() {} },
  leaseMs: 500,
});
