import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { ResolveHost } from "@dueday/core/webhooks/resolveWebhookHost";
import type { PortalSession } from "@dueday/db/access/startPortalSession";
import type { Database } from "@dueday/db/connectDatabase";
import type { MailSecrets } from "@dueday/db/reminders/mailSecrets";
import type { SecretBox } from "@dueday/db/webhooks/secretBox";
import type { ServedChain } from "../chains/servedChain";
import type { Check } from "../health/check";
import type { QueueCheck, RunningScan } from "../health/queueCheck";

/** What an operation's handler gets besides its input. It contains nothing of HTTP or MCP. */
export type Context = ProcessContext & {
  /** The chain that the request selected; the default chain where it selected none, and for operations that are not chain-scoped. */
  chain: ServedChain;
  requestId: string;
  /** The day's hash of the client's address. */
  client: string;
  /** Owner of the caller's developer key or portal session; null without one. */
  subject: string | null;
  /** Present for the operations of the developer portal, while it is open. */
  portal?: PortalAccess;
  /** The answer has to be true for this block or a later one; null for any. */
  minBlock: bigint | null;
  /** Counts what an operation does beside the bucket of its route. */
  counters: Counters;
  /** Aborted when the client has gone; `execute` adds the operation's deadline for the handler. */
  signal: AbortSignal;
};

/** The part of a context that is the same for all requests of a process. */
export type ProcessContext = {
  database: Database;
  /** Unix milliseconds of the machine's clock, for deadlines and staleness only: the day comes from the chain. */
  clock: () => number;
  logger: Logger;
  service: ServiceFacts;
  /** Null where developer keys can't be managed. */
  keys: KeyManagement | null;
  /** Null where there is no SECRETS_KEY. */
  webhooks: WebhookManagement | null;
  /** Null where no reminders are sent by e-mail. */
  mail: MailSecrets | null;
  /** Compare every answer with its schema: in development and tests. */
  checkOutputs: boolean;
};

/** Facts about this process: the content of `/`, `/status` and `/catalog`. */
export type ServiceFacts = {
  version: string;
  config: Config;
  operations: readonly OperationFacts[];
  chains: ReadonlyMap<number, ServedChain>;
  defaultChain: ServedChain;
  /** Unix milliseconds. */
  startedAt: number;
  /** State of the parts that all chains share. */
  checks(): { database: Check; queue: QueueCheck; limiter: Check };
  /** The running scan of a chain; null where none is reported. */
  scanOf(chainId: number): RunningScan | null;
};

/** An operation as the catalog lists it. */
export type OperationFacts = {
  name: string;
  http: { method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; path: string };
  /** One line. */
  summary: string;
};

/** What revoking developer keys needs of the process that authenticates with them. */
export type KeyManagement = {
  /** Removes a revoked key from this process's memory, so that it is rejected at once. */
  forget(id: string): void;
};

/** What operations on webhooks need of the process. */
export type WebhookManagement = {
  /** Encrypts their secrets. */
  box: SecretBox;
  resolve: ResolveHost;
  toLoopback: boolean;
};

/**
 * Counts actions against separate limits, for the client of the request.
 *
 * @throws ServiceError RATE_LIMITED from each method whose limit refuses; then what the route took is given back
 */
export type Counters = {
  /**
   * A developer key that is created: at most 10 a minute for an address, 50 a day for an address in the portal, 5 a minute for a subject.
   *
   * @param byOwner in the portal, and not by the admin
   * @returns a function that gives back what the route took, for a creation that is refused after it was counted
   */
  keyCreation(subjectId: string, byOwner: boolean): Promise<() => Promise<void>>;
  /** A request to create a webhook, also one that is refused after this count: at most 100 a day by an address, without those by keys that the admin created. */
  webhookCreation(): Promise<void>;
  /** A replay: at most 20 a day for a webhook. */
  webhookReplay(webhookId: string): Promise<void>;
  /** A mailbox that has to be confirmed: at most 3 a day for an account, and for an address. */
  mailConfirmation(account: string): Promise<void>;
  /** A refused token of a link in a mail: at most 5 a minute for an address. */
  failedMailToken(): Promise<void>;
  /** A challenge of a webhook: at most 3 in 24 hours. The database counts them: `added` is what it found, with no delivery beyond the limit. */
  webhookChallenge<T>(webhookId: string, added: { delivery: T | null; remaining: number; resetMs: number }): Promise<T>;
};

/** What an operation of the developer portal may do with the browser that sends the request. */
export type PortalAccess = {
  /** Origin of the portal's pages, such as https://dueday.example: the request came from there if it changes something. */
  origin: string;
  /** Null before the browser signs in. */
  session: PortalSession | null;
  /**
   * Counts a challenge against the limit of challenges, and adds it to what the request has taken.
   *
   * @throws ServiceError RATE_LIMITED after 5 a minute or 200 a day by an address; then what the route took is given back
   */
  countChallenge(): Promise<void>;
  /**
   * Counts a sign-in as a failed authentication, before it is checked.
   *
   * @returns a function that takes the count back, for a sign-in that succeeds
   * @throws ServiceError RATE_LIMITED after too many failed authentications of an address; then what the route took is given back
   */
  countAttempt(): Promise<() => Promise<void>>;
  /**
   * Gives the browser a new session, whose token is in the cookie of the answer. The session that it had before ends.
   *
   * @param nonceHash of the challenge that was signed
   * @returns null where the challenge was used before
   */
  start(signedIn: { subjectId: string; nonceHash: string }): Promise<PortalSession | null>;
  /**
   * Ends the browser's session, or all sessions of its subject, and removes the cookie.
   *
   * @returns how many sessions ended
   */
  end(everywhere: boolean): Promise<number>;
  /** What a subject's sessions together, or one key, have used of their limits. Takes nothing. */
  usage(holder: { subjectId: string } | { keyId: string }): Promise<LimitUse[]>;
};

/** How much of one limit is used. */
export type LimitUse = {
  name: string;
  limit: number;
  windowSeconds: number;
  used: number;
  remaining: number;
  /** Until the oldest counted request no longer counts; of a day, until midnight UTC. 0 where none is counted. */
  resetSeconds: number;
};
