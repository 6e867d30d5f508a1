import { SignedPermitView } from "@dueday/core/schemas/permit";
import { cleanText } from "@dueday/core/text/cleanText";
import { DuedayError } from "@dueday/sdk";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress, type Hex, isHex } from "viem";
import { exitCode, KeeperError } from "../keeperError";
import { openApi } from "../plan/planSource";

/** A signed permit as an API proposes it: not trusted until the keeper's own node has simulated it. */
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

/** Returns the signed permits of at most 50 owners in one token. Rejects with KeeperError UNREACHABLE. */
export type PermitSource = (asked: { token: Address; owners: readonly Address[] }) => Promise<ProposedPermit[]>;

export type PermitSourceOptions = { url: string; apiKey: string; chainId: number };

const LONGEST_TEXT_BYTES = 300;

const Permits = Type.Object({ permits: Type.Array(SignedPermitView) });

/** The permits that a Dueday API keeps. It gives their signatures to developers only. */
export function apiPermitSource(options: PermitSourceOptions): PermitSource {
  const { listPermits } = openApi(options);
  return async ({ token, owners }) => {
    // An owner has one permit in a token, so all are on the first page.
    const answer: unknown = await listPermits({ token, owner: [...owners] }).catch((error: unknown) => {
      throw explain(error);
    });
    if (!Value.Check(Permits, answer)) throw unreachable("its answer does not have the documented form");
    return answer.permits.flatMap(({ id, owner, valueRaw, deadline, signature, ...permit }) => {
      if (!isHex(signature) || getAddress(permit.token) !== token) return [];
      const numbers = { value: BigInt(valueRaw), deadline: BigInt(deadline) };
      return [{ id, token, owner: getAddress(owner), ...numbers, signature }];
    });
  };
}

function explain(error: unknown): unknown {
  return DuedayError.is(error) ? unreachable(cleanText(error.message, LONGEST_TEXT_BYTES).text) : error;
}

function unreachable(text: string): KeeperError {
  return new KeeperError(exitCode.UNREACHABLE, `the API did not return the kept permits: ${text}`);
}
