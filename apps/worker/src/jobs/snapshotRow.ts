import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";
import type { NewSnapshot } from "@dueday/db/snapshots/writeSnapshots";
import type { ChainContext } from "../context";

/** A row of a snapshot at `block`, computed now. `key` is the day number for `due`, else empty. */
export function snapshotRow(
  { chain, clock }: Pick<ChainContext, "chain" | "clock">,
  block: ChainBlock,
  snapshot: { kind: SnapshotKind; key?: string; payload: object },
): NewSnapshot {
  const payload = JSON.stringify(snapshot.payload);
  return {
    chainId: chain.chainId,
    contract: chain.contract,
    kind: snapshot.kind,
    key: snapshot.key ?? "",
    blockNumber: block.number,
    blockHash: block.hash,
    blockTimestamp: Number(block.timestamp),
    blockTimestampMs: block.timestampMs ?? null,
    computedAt: new Date(clock()),
    payload,
    hash: new Bun.CryptoHasher("sha256").update(payload).digest("hex"),
  };
}
