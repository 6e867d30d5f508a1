import { parseBlock } from "@dueday/chain/block/parseBlock";
import { preflightChain } from "@dueday/config/preflightChain";
import { aborted } from "@dueday/core/aborted";
import { claimChainIdentity, ForeignDatabaseError } from "@dueday/db/indexing/claimChainIdentity";
import type { ChainContext } from "./context";

const FIRST_RETRY_MS = 1_000;
/** A node that is back is noticed within this time. */
const LONGEST_RETRY_MS = 4_000;

/**
 * Checks the chain's node and contract and claims the database for them; retries until both can be reached or `signal` is
 * aborted. A reason is logged unless it is the same as that of the attempt before.
 *
 * @returns false when it was aborted.
 * @throws ForeignDatabaseError when the database holds another chain's data.
 */
export async function prepareChain(context: ChainContext, signal: AbortSignal): Promise<boolean> {
  const ended = aborted(signal);
  let lastReason = "";
  for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(LONGEST_RETRY_MS, 2 * retryMs)) {
    const { reason, cause } = await tryOnce(context);
    if (reason === null) return true;
    if (reason !== lastReason) context.logger.error({ err: cause }, reason);
    lastReason = reason;
    await Promise.race([Bun.sleep(retryMs), ended]);
  }
  return false;
}

async function tryOnce({ chain, client, database }: ChainContext): Promise<{ reason: string | null; cause?: unknown }> {
  const result = await preflightChain(chain, {
    getChainId: () => client.getChainId(),
    getCode: (address) => client.getCode({ address }),
  });
  if (!result.ok) return { reason: result.reason, cause: result.cause };
  try {
    const genesis = parseBlock(await client.rpc("eth_getBlockByNumber", ["0x0", false]));
    const { chainId, contract } = chain;
    await claimChainIdentity(database, { chainId, contract, genesisHash: genesis.hash });
    return { reason: null };
  } catch (cause) {
    if (cause instanceof ForeignDatabaseError) throw cause;
    return { reason: `chain ${chain.chainId} can't be worked on yet`, cause };
  }
}
