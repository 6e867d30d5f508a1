import { answerExamples } from "@dueday/api/surfaces/openapi/answerExamples";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { writeSnapshots } from "@dueday/db/snapshots/writeSnapshots";
import { BENCH_CHAIN_ID, BENCH_CONTRACT } from "./dueSnapshot";

/** Writes the readiness of the demo chain as a worker does; the answer has 5 KB. */
export async function writeReadinessSnapshot(databaseUrl: string): Promise<void> {
  const { chainId: _, asOf: __, ...readiness } = Object(answerExamples.get_remit_readiness);
  const database = connectDatabase({ url: databaseUrl });
  const now = Date.now();
  const payload = JSON.stringify(readiness);
  const identity = { chainId: BENCH_CHAIN_ID, contract: BENCH_CONTRACT, kind: "readiness" as const, key: "" };
  const block = {
    blockNumber: 1n,
    blockHash: `0x${"ab".repeat(32)}` as const,
    blockTimestamp: Math.floor(now / 1000),
    blockTimestampMs: null,
  };
  const hash = new Bun.CryptoHasher("sha256").update(payload).digest("hex");
  await writeSnapshots(database, [{ ...identity, ...block, computedAt: new Date(now), payload, hash }]);
  await database.close();
}
