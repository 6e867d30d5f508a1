import { boolean, encryptionKey } from "./kinds";
import type { SettingsReader } from "./settingsReader";

/** Settings of webhooks. */
export function readWebhooks(reader: SettingsReader) {
  return {
    /** 32 bytes as hex: encrypts the signing secrets of webhooks and the mailboxes in the database. Null: there are no webhooks and no reminders. */
    secretsKey: reader.readOptional("SECRETS_KEY", encryptionKey) ?? null,
    /** Whether webhooks may have http URLs of this machine, for trials. */
    webhooksToLoopback: reader.read("WEBHOOKS_TO_LOOPBACK", boolean, false),
  };
}
