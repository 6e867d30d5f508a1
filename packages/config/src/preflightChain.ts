import type { Address } from "viem";

/** The two questions of a preflight; whoever talks to the node passes them in. */
export type PreflightClient = {
  getChainId(): Promise<number>;
  /** Code at an address; undefined or `0x` where there is none. */
  getCode(address: Address): Promise<string | undefined>;
};

export type PreflightFailure = "unreachable" | "wrong_chain" | "no_contract";

/** A reason that may be shown to anybody: it names settings, never a URL. */
export type PreflightResult =
  | { ok: true }
  | { ok: false; failure: PreflightFailure; reason: string /** For the log, by `describeError`. */; cause?: unknown };

/** Checks that the node of a chain answers, that it is of that chain, and that the contract is there. Never throws. */
export async function preflightChain(
  { chainId, contract }: { chainId: number; contract: Address },
  client: PreflightClient,
): Promise<PreflightResult> {
  try {
    const answered = await client.getChainId();
    if (answered !== chainId) {
      const reason = `the RPC of chain ${chainId} serves chain ${answered}: correct CHAIN_${chainId}_RPC_URLS`;
      return { ok: false, failure: "wrong_chain", reason };
    }
    const code = await client.getCode(contract);
    if (code === undefined || code === "0x") {
      const reason = `there is no contract at ${contract} on chain ${chainId}: correct CHAIN_${chainId}_CONTRACT`;
      return { ok: false, failure: "no_contract", reason };
    }
    return { ok: true };
  } catch (cause) {
    const reason = `the RPC of chain ${chainId} can't be reached: check the node, or CHAIN_${chainId}_RPC_URLS`;
    return { ok: false, failure: "unreachable", reason, cause };
  }
}
