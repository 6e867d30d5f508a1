import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import type { SnapshotKind } from "@dueday/core/snapshots/snapshot";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { listenSnapshots } from "./listenSnapshots";
import { SNAPSHOT_CHANNEL, type SnapshotChange } from "./snapshotChannel";
import { markSnapshotsOrphaned } from "./snapshots/markSnapshotsOrphaned";
import { type NewSnapshot, writeSnapshots } from "./snapshots/writeSnapshots";
import { waitFor } from "./waitFor";

const { database, url } = await createTestDatabase({ ownServer: true });
const CONTRACT = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
const TIMEOUT_MS = 90_000;

function snapshot(kind: SnapshotKind, block: number): NewSnapshot {
  return {
    chainId: 1,
    contract: CONTRACT,
    kind,
    key: "",
    blockNumber: BigInt(block),
    blockHash: `0x${block}`,
    blockTimestamp: block,
    blockTimestampMs: null,
    computedAt: new Date(block),
    payload: "{}",
    hash: "",
  };
}

/** A session that does not answer for the time of a heartbeat is given up, also where the machine is busy. */
function startListening(heartbeatMs = 30_000) {
  const changes: SnapshotChange[] = [];
  const errors: unknown[] = [];
  let connections = 0;
  const listener = listenSnapshots({
    url,
    heartbeatMs,
    onChange: (change) => void changes.push(change),
    onConnect: () => {
      connections += 1;
    },
    onDisconnect: (error) => void errors.push(error),
  });
  const connected = (count: number) => waitFor(() => connections >= count, TIMEOUT_MS);
  return { ...listener, changes, errors, connected };
}

async function listeningPids(): Promise<number[]> {
  const rows = await database.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and query ilike 'listen %'`;
  return rows.map((row) => row.pid);
}

test("a written and an orphaned snapshot are announced, one that was not written is not", async () => {
  const listener = startListening();
  expect(await listener.connected(1)).toBe(true);
  await writeSnapshots(database, [snapshot("readiness", 10)]);
  await writeSnapshots(database, [snapshot("readiness", 9)]);
  await markSnapshotsOrphaned(database, { chainId: 1, contract: CONTRACT, fromBlock: 10n });
  await writeSnapshots(database, [snapshot("tokens", 1)]);
  expect(await waitFor(() => listener.changes.some(({ kind }) => kind === "tokens"), TIMEOUT_MS)).toBe(true);
  await listener.close();
  expect(listener.changes.map(({ kind }) => kind)).toEqual(["readiness", "readiness", "tokens"]);
});

test("a closed connection is opened again and reported, so that everything can be read again", async () => {
  const listener = startListening(3_000);
  expect(await listener.connected(1)).toBe(true);
  for (const pid of await listeningPids()) await database.sql`select pg_terminate_backend(${pid})`;
  expect(await listener.connected(2)).toBe(true);
  await writeSnapshots(database, [snapshot("due", 1)]);
  expect(await waitFor(() => listener.changes.length === 1, TIMEOUT_MS)).toBe(true);
  await listener.close();
});

/** What PostgreSQL sends in place of a session. */
function refusal(code: string): Uint8Array {
  const fields = new TextEncoder().encode(`SFATAL\0VFATAL\0C${code}\0Mno session\0\0`);
  const message = new Uint8Array(5 + fields.length);
  message[0] = "E".charCodeAt(0);
  new DataView(message.buffer).setUint32(1, 4 + fields.length);
  message.set(fields, 5);
  return message;
}

test("of a database that refuses sessions each reason is reported once, however often the connection is tried", async () => {
  let attempts = 0;
  const refusing = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        attempts += 1;
        // It starts, and then it is full.
        socket.end(refusal(attempts < 3 ? "57P03" : "53300"));
      },
    },
  });
  const errors: unknown[] = [];
  const listener = listenSnapshots({
    url: `postgres://nobody@127.0.0.1:${refusing.port}/none`,
    onChange() {},
    onConnect() {},
    onDisconnect: (error) => void errors.push(error),
  });
  expect(await waitFor(() => attempts >= 5, TIMEOUT_MS)).toBe(true);
  await listener.close();
  refusing.stop(true);
  expect(errors).toMatchObject([{ code: "57P03" }, { code: "53300" }]);
});

test("a notification that is not one of ours is ignored", async () => {
  const listener = startListening();
  expect(await listener.connected(1)).toBe(true);
  for (const message of ["{broken", "null", '{"kind":1}']) await database.sql.notify(SNAPSHOT_CHANNEL, message);
  await writeSnapshots(database, [snapshot("due", 2)]);
  expect(await waitFor(() => listener.changes.length === 1, TIMEOUT_MS)).toBe(true);
  await listener.close();
  expect(listener.errors).toEqual([]);
});

test("a frozen connection is detected and replaced", async () => {
  const listener = startListening(3_000);
  expect(await listener.connected(1)).toBe(true);
  const frozen = (await listeningPids()).map(String);
  expect(frozen).toHaveLength(1);
  spawnSync("kill", ["-STOP", ...frozen]);
  expect(await listener.connected(2)).toBe(true);
  await writeSnapshots(database, [snapshot("protocol", 1)]);
  expect(await waitFor(() => listener.changes.length === 1, TIMEOUT_MS)).toBe(true);
  await listener.close();
  spawnSync("kill", ["-CONT", ...frozen]);
  expect(listener.errors[0]).toMatchObject({ name: "DatabaseError", code: "DEADLINE" });
});
