import { SignedPermitView } from "@dueday/core/schemas/permit";
import { cleanText } from "@dueday/core/text/cleanText";
import { createDueday, DuedayError } from "@dueday/sdk";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress, type Hex, isHex } from "viem";
import { boundedFetch } from "../boundedFetch";
import { exitCode, KeeperError } from "../keeperError";

/** A signed permit as an API proposes it: nothing of it is believed until the keeper's own node has run it. */
export type ProposedPermit = {
  id: string;
  token: Address;
  owner: Address;
  /** Token units. */
  value: bigint;
  /** Unix seconds. */
  deadline: bigint;
  signature: Hex;
};

/** Signed permits of a token. Rejects with KeeperError UNREACHABLE. */
export type PermitSource = (token: Address) => Promise<ProposedPermit[]>;

export type PermitSourceOptions = { url: string; apiKey: string; chainId: number };

const DEADLINE_MS = 30_000;
const LARGEST_BYTES = 4 * 1024 * 1024;
const LONGEST_TEXT_BYTES = 300;
/** Of 100 permits each. Those that matter are few; an API that lists for ever is left at some point. */
const MOST_PAGES = 10;

const PermitPage = Type.Object({
  permits: Type.Array(SignedPermitView),
  nextAfter: Type.Union([Type.Integer(), Type.Null()]),
});

/** The permits that a Dueday API keeps. It gives their signatures to developers only. */
export function apiPermitSource({ url, apiKey, chainId }: PermitSourceOptions): PermitSource {
  const { listPermits } = createDueday({
    baseUrl: url,
    chainId,
    apiKey,
    retries: 0,
    timeoutMs: DEADLINE_MS,
    fetch: boundedFetch(LARGEST_BYTES),
  });
  return async (token) => {
    const found: ProposedPermit[] = [];
    let after = 0;
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer: unknown = await listPermits({ token, after }).catch((error: unknown) => {
        throw explain(error);
      });
      if (!Value.Check(PermitPage, answer)) throw unreachable("its answer does not have the documented form");
      for (const { id, owner, valueRaw, deadline, signature, ...permit } of answer.permits) {
        if (!isHex(signature) || getAddress(permit.token) !== token) continue;
        const numbers = { value: BigInt(valueRaw), deadline: BigInt(deadline) };
        found.push({ id, token, owner: getAddress(owner), ...numbers, signature });
      }
      if (answer.nextAfter === null || answer.nextAfter <= after) return found;
      after = answer.nextAfter;
    }
    return found;
  };
}

function explain(error: unknown): unknown {
  return DuedayError.is(error) ? unreachable(cleanText(error.message, LONGEST_TEXT_BYTES).text) : error;
}

function unreachable(text: string): KeeperError {
  return new KeeperError(exitCode.UNREACHABLE, `the API does not answer with permits: ${text}`);
}
