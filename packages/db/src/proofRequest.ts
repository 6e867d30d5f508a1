import { type Static, Type } from "@sinclair/typebox";
import type { Database } from "./connectDatabase";
import { type ListenOptions, listenChannel } from "./listenChannel";

const PROOF_CHANNEL = "dueday_proofs";

/**
 * An API process asks the worker of a chain to prove its snapshots now. The request is not stored: the process that asks does not
 * depend on an answer.
 */
export const ProofRequest = Type.Object({
  chainId: Type.Integer(),
  contract: Type.String(),
  /** The proof must be of this block or a later one. */
  atLeastBlock: Type.String({ pattern: "^[0-9]{1,15}$" }),
  /** Whether the stored snapshots are known to be wrong at that block: everything is then read again. */
  rescan: Type.Boolean(),
});
export type ProofRequest = Static<typeof ProofRequest>;

/** @throws DatabaseError */
export async function requestProof(database: Database, request: ProofRequest): Promise<void> {
  await database.run("request a proof", () => database.sql.notify(PROOF_CHANNEL, JSON.stringify(request)));
}

export type ListenProofRequestsOptions = Omit<ListenOptions, "onConnect"> & {
  onRequest(request: ProofRequest): void;
};

/** Listens for requests of proofs until `close()`. The next proof makes up for a request that was missed. */
export function listenProofRequests({ onRequest, ...options }: ListenProofRequestsOptions): { close(): Promise<void> } {
  return listenChannel({
    ...options,
    channel: PROOF_CHANNEL,
    action: "listen for requests of proofs",
    schema: ProofRequest,
    onConnect: () => {},
    onMessage: onRequest,
  });
}
