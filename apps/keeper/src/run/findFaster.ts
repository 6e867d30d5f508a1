import type { RivalRemit } from "../node/keeperNode";
import type { Mined } from "../send/createSender";
import type { KeeperChain } from "./keeperChain";

/** `remit`: the first remit() of another keeper before an own transaction, null where none is found. `isWhole`: the logs of all blocks were read. */
export type Faster = { remit: RivalRemit | null; isWhole: boolean };

/**
 * Looks for a remit() of another keeper that was mined before a transaction, and was not known when it was signed. Of one that an earlier
 * process signed, only its own block is searched. Never rejects.
 */
export async function findFaster({ node }: Pick<KeeperChain, "node">, { receipt, attempt }: Mined): Promise<Faster> {
  const { blockNumber, index } = receipt;
  // A reorganisation may have moved it to a block before the one that it was judged on: then, too, only its own block is searched.
  const since = attempt?.permit === null && attempt.basis.block < blockNumber ? attempt.basis.block : null;
  const logged = since === null ? null : await node.rivals(since, blockNumber);
  // A node that does not give the logs of so many blocks may give those of one.
  const rivals = logged ?? (await node.rivals(blockNumber - 1n, blockNumber));
  const remit = rivals?.find((rival) => rival.blockNumber < blockNumber || rival.index < index);
  return { remit: remit ?? null, isWhole: logged !== null };
}
