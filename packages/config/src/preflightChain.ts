import type { Address } from "viem";

/** The two requests of a preflight. */
export type PreflightClient = {
  getChainId(): Promise<number>;
  /** Returns the code at an address; undefined or `0x` where there is none. */
  getCode(address: Address): Promise<string | undefined>;
};

export type PreflightFailure = "unreachable" | "wrong_chain" | "no_contract";

/** `reason` may be shown to clients: it names settings, never a URL. `cause` is for the log. */
export type PreflightResult = { ok: true } | { ok: false; failure: PreflightFailure; reason: string; cause?: unknown };

/** Checks that a chain's node answers, that it serves that chain, and that the contract exists. Never throws. */
export async function preflightChain(
  { chainId, contract }: { chainId: number; contract: Address },
  client: PreflightClient,
): Promise<PreflightResult> {
  try {
    const answered = await client.getChainId();
    if (answered !== chainId) {
      const reason = `the RPC node of chain ${chainId} serves chain ${answered}: correct CHAIN_${chainId}_RPC_URLS`;
      return { ok: false, failure: "wrong_chain", reason };
    }
    const code = await client.getCode(contract);
    if (code === undefined || code === "0x") {
      const reason = `there is no contract at ${contract} on chain ${chainId}: correct CHAIN_${chainId}_CONTRACT`;
      return { ok: false, failure: "no_contract", reason };
    }
    return { ok: true };
  } catch (cause) {
    const reason = `the RPC node of chain ${chainId} can't be reached: check the node, or correct CHAIN_${chainId}_RPC_URLS`;
    return { ok: false, failure: "unreachable", reason, cause };
  }
}
