import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { cleanText } from "@dueday/core/text/cleanText";
import { createDueday, type Dueday, DuedayError } from "@dueday/sdk";
import { createLocalDueday } from "@dueday/sdk/local";
import { Value } from "@sinclair/typebox/value";
import { type Address, type Chain, type Client, isAddressEqual, type Transport } from "viem";
import { boundedFetch } from "../boundedFetch";
import { exitCode, KeeperError } from "../keeperError";

/** A plan and the block that it is true for. */
export type PlanAnswer = {
  readiness: RemitReadiness;
  blockNumber: bigint;
  /** It is older than it should be: its source does not follow the chain. */
  stale: boolean;
};

/** Where plans come from. Those of the keeper's own node are verified like those of an API. Rejects with KeeperError. */
export type PlanSource = {
  /** For polling: an API's plan for any caller, which it answers from memory; the own node's plan for the keeper. */
  poll(minBlock: bigint | null): Promise<PlanAnswer>;
  /** The plan for the keeper, simulated now. */
  read(minBlock: bigint | null): Promise<PlanAnswer>;
};

const DEADLINE_MS = 30_000;
const LARGEST_BYTES = 4 * 1024 * 1024;
const LONGEST_RETRY_AFTER_SECONDS = 86_400;
/** Texts of an API are shown up to this length. */
const LONGEST_TEXT_BYTES = 300;
const BLOCK = /^\d{1,20}$/;

type Readiness = (input: { from?: Address }, options: { minBlock?: bigint }) => Promise<unknown>;

export type ApiSourceOptions = {
  url: string;
  apiKey: string | null;
  /** Null: the API's default chain, and no check of it. */
  chainId: number | null;
  /** Null: plans are for any caller. */
  from: Address | null;
};

/** A client of a Dueday API whose answers are bounded in size and time. */
export function openApi({ url, apiKey, chainId }: Omit<ApiSourceOptions, "from">): Dueday {
  return createDueday({
    baseUrl: url,
    chainId: chainId ?? undefined,
    apiKey: apiKey ?? undefined,
    // The keeper retries by itself, with pauses that grow.
    retries: 0,
    timeoutMs: DEADLINE_MS,
    fetch: boundedFetch(LARGEST_BYTES),
  });
}

/** Plans of a Dueday API. Its answers are judged here: form, size, time, chain and caller. */
export function apiPlanSource({ from, ...api }: ApiSourceOptions): PlanSource {
  const { getRemitReadiness: readiness } = openApi(api);
  return planSource({ readiness, subject: "the API", chainId: api.chainId, from, isOwn: false });
}

export type OwnSourceOptions = {
  client: Client<Transport, Chain | undefined>;
  chainId: number;
  contract: Address;
  from: Address | null;
};

/** Plans of the keeper's own node: no service is asked. */
export function ownPlanSource({ client, chainId, contract, from }: OwnSourceOptions): PlanSource {
  const { getRemitReadiness } = createLocalDueday({ client, chainId, contract });
  return planSource({ readiness: getRemitReadiness, subject: "the node", chainId, from, isOwn: true });
}

type SourceOptions = {
  readiness: Readiness;
  subject: string;
  chainId: number | null;
  from: Address | null;
  /** Whether plans come from the keeper's own node. */
  isOwn: boolean;
};

function planSource({ readiness, subject, chainId, from, isOwn }: SourceOptions): PlanSource {
  async function ask(caller: Address | null, minBlock: bigint | null): Promise<PlanAnswer> {
    const input = caller === null ? {} : { from: caller };
    try {
      return readAnswer(await readiness(input, minBlock === null ? {} : { minBlock }), { subject, chainId, caller });
    } catch (error) {
      throw explain(error, subject);
    }
  }
  return { poll: (minBlock) => ask(isOwn ? from : null, minBlock), read: (minBlock) => ask(from, minBlock) };
}

type Expected = { subject: string; chainId: number | null; caller: Address | null };

function readAnswer(answer: unknown, { subject, chainId, caller }: Expected): PlanAnswer {
  const wrong = (what: string) => new KeeperError(exitCode.UNREACHABLE, `${subject}'s readiness answer ${what}`);
  const asOf = field(answer, "asOf");
  const blockNumber = field(asOf, "blockNumber");
  if (!Value.Check(RemitReadiness, answer) || typeof blockNumber !== "string" || !BLOCK.test(blockNumber)) {
    throw wrong("does not have the documented form");
  }
  if (chainId !== null && field(answer, "chainId") !== chainId) throw wrong(`is for another chain than ${chainId}`);
  if (caller !== null && !isAddressEqual(answer.from, caller)) throw wrong("is for another caller");
  return { readiness: answer, blockNumber: BigInt(blockNumber), stale: field(asOf, "stale") === true };
}

function explain(error: unknown, subject: string): unknown {
  if (!DuedayError.is(error)) return error;
  const seconds = error.retryAfter;
  const retryAfterMs = seconds === null ? null : Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER_SECONDS) * 1000;
  const status = error.status === null ? "" : ` (${error.status})`;
  const text = cleanText(error.message, LONGEST_TEXT_BYTES).text;
  return new KeeperError(
    exitCode.UNREACHABLE,
    `${subject} does not answer with a plan${status}: ${text}`,
    retryAfterMs,
  );
}

function field(value: unknown, name: string): unknown {
  // The cast claims only that it is an object with unknown fields.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
