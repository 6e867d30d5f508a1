import type { Logger } from "@dueday/config/createLogger";
import type { Database } from "@dueday/db/connectDatabase";
import { requestProof } from "@dueday/db/proofRequest";
import type { ContractScope } from "@dueday/db/schema/columns";

/** Asks the chain's worker to prove its snapshots at this block or a later one, or, with `rescan`, to scan again because they are wrong. */
export type RequestProof = (atLeastBlock: bigint, rescan: boolean) => void;

export type ProofRequestOptions = { database: Database; scope: ContractScope; logger: Logger };

/** How long a request covers later ones for the same or an earlier block. */
const COVERED_MS = 1_000;

/**
 * Requests proofs without delaying the client's request that causes them. A proof request that can't be sent is dropped: the worker's
 * next regular proof makes up for it.
 */
export function createProofRequests({ database, scope, logger }: ProofRequestOptions): RequestProof {
  let last = { atLeastBlock: -1n, rescan: false, at: Number.NEGATIVE_INFINITY };
  return (atLeastBlock, rescan) => {
    const now = performance.now();
    const isCovered = atLeastBlock <= last.atLeastBlock && (last.rescan || !rescan);
    if (isCovered && now - last.at < COVERED_MS) return;
    last = { atLeastBlock, rescan, at: now };
    const { chainId, contract } = scope;
    requestProof(database, { chainId, contract, atLeastBlock: atLeastBlock.toString(), rescan }).catch(
      (error: unknown) => logger.debug({ err: error, chainId }, "a proof can't be requested"),
    );
  };
}
