import { Bytes32 } from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";
import type { Database } from "./connectDatabase";
import { SNAPSHOT_CHANNEL } from "./snapshotChannel";

/**
 * What a worker announces of its chain: the head that it saw, or that its node failed, and how far the index is complete. It is not stored.
 * The next message follows within `validForMs`, so that an API process need not ask a node itself.
 */
export const HeadMessage = Type.Object({
  chainId: Type.Integer(),
  contract: Type.String(),
  validForMs: Type.Integer({ minimum: 0 }),
  head: Type.Union([
    Type.Null(),
    Type.Object({
      number: Type.String({ pattern: "^[0-9]{1,16}$" }),
      hash: Bytes32,
      timestamp: Type.String({ pattern: "^[0-9]{1,12}$" }),
      baseFeePerGas: Type.String({ pattern: "^[0-9]{1,30}$" }),
      gasLimit: Type.String({ pattern: "^[0-9]{1,16}$" }),
      timestampMs: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ]),
  /**
   * What the index covers: with the stored checkpoint `checkpoint` it holds every event up to `covered.head`, except those from
   * `unprovenFrom` on that were not read. Null while the index catches up.
   */
  covered: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Object({
        checkpoint: Bytes32,
        head: Type.Object({
          number: Type.Integer(),
          hash: Bytes32,
          timestamp: Type.Integer(),
          timestampMs: Type.Optional(Type.Integer({ minimum: 0 })),
        }),
        /** The first block after the checkpoint whose events were not read. */
        unprovenFrom: Type.Optional(Type.Integer()),
      }),
    ]),
  ),
});
export type HeadMessage = Static<typeof HeadMessage>;

/** Sends a head to the processes that listen for snapshots. */
export async function notifyHead(database: Database, message: HeadMessage): Promise<void> {
  await database.run("announce the head", () => database.sql.notify(SNAPSHOT_CHANNEL, JSON.stringify(message)));
}
