import { createHmac, timingSafeEqual } from "node:crypto";
import type { Hex } from "viem";
import { fromBytes, toBytes } from "../rows/bytes";
import { createSecretBox } from "../webhooks/secretBox";

/** Encrypts and hashes mailboxes for the database, and makes the tokens of the links in mails. */
export type MailSecrets = {
  /** Encrypts a mailbox for the row of an account. */
  seal(mailbox: string, account: Hex): Hex;
  /** Null where it was sealed with another key or for another account. */
  open(sealed: Hex, account: Hex): string | null;
  /** A keyed hash, which is the same for the same address. */
  hashOf(mailbox: string): Hex;
  /** A keyed hash, which ignores case and what follows a plus sign: the same for all spellings of a mailbox. */
  limitHashOf(mailbox: string): Hex;
  /** The token in the link that confirms a mailbox; only the mail contains it. */
  confirmToken(confirmationId: string): string;
  /** The id of the confirmation; null for a text that is not one of these tokens. */
  readConfirmToken(token: string): string | null;
  /** The token in the link that ends the reminders of an account to a mailbox. */
  unsubscribeToken(account: Hex, mailboxHash: Hex): string;
  /** The account and mailbox whose reminders end; null for a text that is not one of these tokens. */
  readUnsubscribeToken(token: string): { account: Hex; mailboxHash: Hex } | null;
};

const UUID_BYTES = 16;
const ACCOUNT_BYTES = 20;
const HASH_BYTES = 32;
const PROOF_BYTES = 16;

/**
 * Creates the secrets from SECRETS_KEY. Each use has its own derived key, so that no hash in the database can serve as the
 * proof in a link.
 *
 * @param key 32 bytes, hex
 */
export function createMailSecrets(key: string): MailSecrets {
  const box = createSecretBox(key);
  const derive = (use: string) => createHmac("sha256", Buffer.from(key, "hex")).update(`reminders: ${use}`).digest();
  const [ofMailbox, ofLimit, ofConfirmation, ofUnsubscribing] = [
    derive("mailbox"),
    derive("spellings of a mailbox"),
    derive("confirmation"),
    derive("unsubscribing"),
  ];
  const owner = (account: Hex) => `mailbox of ${account.toLowerCase()}`;
  return {
    seal: (mailbox, account) => box.seal(mailbox, owner(account)),
    open: (sealed, account) => box.open(sealed, owner(account)),
    hashOf: (mailbox) => fromBytes(createHmac("sha256", ofMailbox).update(mailbox).digest()),
    limitHashOf: (mailbox) => fromBytes(createHmac("sha256", ofLimit).update(withoutSpelling(mailbox)).digest()),
    confirmToken: (id) => prove(ofConfirmation, Buffer.from(id.replaceAll("-", ""), "hex")),
    readConfirmToken(token) {
      const bytes = readProven(ofConfirmation, token, UUID_BYTES);
      if (bytes === null) return null;
      return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    unsubscribeToken: (account, hash) => prove(ofUnsubscribing, Buffer.concat([toBytes(account), toBytes(hash)])),
    readUnsubscribeToken(token) {
      const bytes = readProven(ofUnsubscribing, token, ACCOUNT_BYTES + HASH_BYTES);
      if (bytes === null) return null;
      return {
        account: fromBytes(bytes.subarray(0, ACCOUNT_BYTES)),
        mailboxHash: fromBytes(bytes.subarray(ACCOUNT_BYTES)),
      };
    },
  };
}

function withoutSpelling(mailbox: string): string {
  const at = mailbox.lastIndexOf("@");
  const [name = ""] = mailbox.slice(0, at).split("+", 1);
  return `${name}${mailbox.slice(at)}`.toLowerCase();
}

function proofOf(key: Buffer, content: Buffer): Buffer {
  return createHmac("sha256", key).update(content).digest().subarray(0, PROOF_BYTES);
}

function prove(key: Buffer, content: Buffer): string {
  return Buffer.concat([content, proofOf(key, content)]).toString("base64url");
}

function readProven(key: Buffer, token: string, contentBytes: number): Buffer | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== contentBytes + PROOF_BYTES) return null;
  const content = bytes.subarray(0, contentBytes);
  return timingSafeEqual(proofOf(key, content), bytes.subarray(contentBytes)) ? content : null;
}
