import { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { cleanText } from "@dueday/core/text/cleanText";
import { Value } from "@sinclair/typebox/value";
import type { Address } from "viem";
import { exitCode, KeeperError } from "./keeperError";
import type { PlannedFees } from "./limitGasPrice";

/** An answer of GET /remit/readiness, with its ETag for the next request. */
export type Readiness = {
  plan: RemitReadiness;
  /** The block of the plan. */
  blockNumber: bigint;
  /** The plan is older than it should be; what is prepared is still simulated live. */
  stale: boolean;
  etag: string | null;
};

export type Prepared = { answer: unknown; expectedTransactions: number } | { notReady: string };

export type Api = {
  /** The plan; with `known`, requested with If-None-Match, so an unchanged plan costs no body. */
  readiness(known: Readiness | null): Promise<Readiness>;
  /** The plan for one caller, simulated live. */
  readinessFor(from: Address): Promise<Readiness>;
  /** The fees of the plan's first transactions at these prices (`token:wei`), in order. */
  plannedFees(from: Address, prices: readonly string[]): Promise<PlannedFees[]>;
  /** The unsigned remit() of the API: untrusted until `checkPrepared` accepts it. */
  prepareRemit(from: Address): Promise<Prepared>;
};

const DEADLINE_MS = 30_000;
const LONGEST_RETRY_AFTER_SECONDS = 86_400;
const AS_OF = /^(\d{1,20});[^;]*;[^;]*;([01])$/;

/** A client of the public API. All its errors are KeeperError. `chainId` null is the API's default chain. */
export function createApi(apiUrl: string, chainId: number | null): Api {
  const query = chainId === null ? "" : `chainId=${chainId}`;

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      return await fetch(`${apiUrl}${path}`, { ...init, redirect: "error", signal: AbortSignal.timeout(DEADLINE_MS) });
    } catch {
      // The reason would only repeat the URL, and the remedy is the same for every reason.
      throw new KeeperError(
        exitCode.UNREACHABLE,
        "the API (--api) can't be reached, redirects, or does not answer in time",
      );
    }
  }

  return {
    async readiness(known) {
      const headers = known?.etag ? { "If-None-Match": known.etag } : {};
      const response = await request(`/remit/readiness?${query}`, { headers });
      if (response.status === 304 && known !== null) return confirmed(known, response);
      return readReadiness(response);
    },
    async readinessFor(from) {
      return readReadiness(await request(`/remit/readiness?from=${from}&${query}`));
    },
    async plannedFees(from, prices) {
      const priced = prices.map((price) => `&price=${price}`).join("");
      return readPlannedFees(await request(`/remit/plan?from=${from}&first=200${priced}&${query}`));
    },
    async prepareRemit(from) {
      const response = await request(`/prepare/remit?${query}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ from }),
      });
      if (response.status === 409) return { notReady: await errorText(response) };
      const answer = await readBody(response);
      return { answer, expectedTransactions: expectedTransactions(answer) };
    },
  };
}

function confirmed(known: Readiness, response: Response): Readiness {
  const [, blockNumber, stale] = AS_OF.exec(response.headers.get("X-As-Of") ?? "") ?? [];
  if (blockNumber === undefined) return known;
  return { ...known, blockNumber: BigInt(blockNumber), stale: stale === "1" };
}

async function readReadiness(response: Response): Promise<Readiness> {
  const body = await readBody(response);
  const asOf = field(body, "asOf");
  const blockNumber = field(asOf, "blockNumber");
  if (!Value.Check(RemitReadiness, body) || typeof blockNumber !== "string" || !/^\d{1,20}$/.test(blockNumber)) {
    throw new KeeperError(exitCode.UNREACHABLE, "the API's readiness answer does not have the documented form");
  }
  const stale = field(asOf, "stale") === true;
  return { plan: body, blockNumber: BigInt(blockNumber), stale, etag: response.headers.get("ETag") };
}

async function readPlannedFees(response: Response): Promise<PlannedFees[]> {
  const body = await readBody(response);
  if (!Value.Check(RemitPlanAnswer, body)) {
    throw new KeeperError(exitCode.UNREACHABLE, "the API's plan does not have the documented form");
  }
  const l1FeeWei = BigInt(body.l1FeeWei ?? "0");
  return body.transactions.map(({ feesWei, operatorFeeWei = "0" }) => ({
    rollupFeesWei: l1FeeWei + BigInt(operatorFeeWei),
    ...(feesWei !== undefined && { feesWei }),
  }));
}

async function readBody(response: Response): Promise<unknown> {
  if (!response.ok) throw await refused(response);
  try {
    return await response.json();
  } catch {
    throw new KeeperError(exitCode.UNREACHABLE, "the API's answer is not JSON, or was cut off");
  }
}

async function refused(response: Response): Promise<KeeperError> {
  const seconds = Number(response.headers.get("Retry-After") ?? "none");
  const retryAfterMs = seconds >= 0 ? Math.min(seconds, LONGEST_RETRY_AFTER_SECONDS) * 1000 : null;
  const text = `the API answered ${response.status}: ${await errorText(response)}`;
  return new KeeperError(exitCode.UNREACHABLE, text, retryAfterMs);
}

async function errorText(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const error = field(body, "error");
  return typeof error === "string" ? cleanText(error, 300).text : "it gave no reason";
}

/** The number of remit() calls in the plan behind the prepared transaction, at least 1. */
function expectedTransactions(answer: unknown): number {
  const count = field(field(answer, "preflight"), "expectedTransactions");
  return typeof count === "number" && count >= 1 ? count : 1;
}

function field(value: unknown, name: string): unknown {
  // Only that it is an object with unknown fields.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
