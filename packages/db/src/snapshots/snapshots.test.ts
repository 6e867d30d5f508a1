import { describe, expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { confirmSnapshots } from "./confirmSnapshots";
import { markSnapshotsOrphaned } from "./markSnapshotsOrphaned";
import { pruneSnapshots } from "./pruneSnapshots";
import { pruneSnapshotVersions } from "./pruneSnapshotVersions";
import { readSnapshots } from "./readSnapshots";
import { type NewSnapshot, writeSnapshots } from "./writeSnapshots";

const { database } = await createTestDatabase();

const COMPUTED_AT = new Date("2026-03-01T12:00:00Z");
let contracts = 0;

/** A contract that no other test writes to. */
function newContract(): string {
  contracts += 1;
  return `0x${contracts.toString(16).padStart(40, "0")}`;
}

function snapshot(contract: string, block: number, overrides: Partial<NewSnapshot> = {}): NewSnapshot {
  return {
    chainId: 31337,
    contract,
    kind: "protocol",
    key: "",
    blockNumber: BigInt(block),
    blockHash: `0x${block.toString(16).padStart(64, "0")}`,
    blockTimestamp: 1_770_000_000 + block,
    blockTimestampMs: null,
    computedAt: COMPUTED_AT,
    payload: `{"block":${block}}`,
    hash: `hash of ${block}`,
    ...overrides,
  };
}

async function payloads(contract: string): Promise<string[]> {
  return (await readSnapshots(database, { chainId: 31337, contract })).map((row) => row.payload);
}

describe("writeSnapshots", () => {
  test("a snapshot is read back as it was written, with an identical payload", async () => {
    const contract = newContract();
    const row = snapshot(contract, 7, { payload: '{"b":1,"a":"\\u0000\\u202e","b2":1e400}', blockNumber: 2n ** 62n });
    await writeSnapshots(database, [row]);
    expect(await readSnapshots(database, { chainId: 31337, contract })).toEqual([
      { ...row, orphaned: false, confirmedAt: null },
    ]);
  });

  test("a higher block replaces, a lower one is not written", async () => {
    const contract = newContract();
    await writeSnapshots(database, [snapshot(contract, 10)]);
    expect(await writeSnapshots(database, [snapshot(contract, 9)])).toEqual([]);
    expect(await payloads(contract)).toEqual(['{"block":10}']);
    expect(await writeSnapshots(database, [snapshot(contract, 11)])).toHaveLength(1);
    expect(await payloads(contract)).toEqual(['{"block":11}']);
  });

  test("the same block confirms: the time of computation moves forward, never back", async () => {
    const contract = newContract();
    const later = new Date(COMPUTED_AT.getTime() + 1_000);
    await writeSnapshots(database, [snapshot(contract, 10, { computedAt: later })]);
    expect(await writeSnapshots(database, [snapshot(contract, 10)])).toEqual([]);
    const latest = new Date(COMPUTED_AT.getTime() + 2_000);
    await writeSnapshots(database, [snapshot(contract, 10, { computedAt: latest })]);
    const [row] = await readSnapshots(database, { chainId: 31337, contract });
    expect(row?.computedAt).toEqual(latest);
  });

  test("a confirmation dated in the future gives way to one of the right time, and a higher block to none of a lower one", async () => {
    const contract = newContract();
    const future = new Date(Date.now() + 400 * 86_400_000);
    await writeSnapshots(database, [snapshot(contract, 10, { computedAt: future })]);
    expect(await writeSnapshots(database, [snapshot(contract, 9)])).toEqual([]);
    expect(await writeSnapshots(database, [snapshot(contract, 10)])).toHaveLength(1);
    const [row] = await readSnapshots(database, { chainId: 31337, contract });
    expect(row?.computedAt).toEqual(COMPUTED_AT);
  });

  test("another block of the same height does not replace, unless the stored one is orphaned", async () => {
    const contract = newContract();
    const fork = snapshot(contract, 10, { blockHash: `0x${"f".repeat(64)}`, payload: "fork" });
    await writeSnapshots(database, [snapshot(contract, 10)]);
    expect(await writeSnapshots(database, [fork])).toEqual([]);
    await markSnapshotsOrphaned(database, { chainId: 31337, contract, fromBlock: 10n });
    expect(await writeSnapshots(database, [fork])).toHaveLength(1);
    const rows = await readSnapshots(database, { chainId: 31337, contract });
    expect(rows).toMatchObject([{ payload: "fork", orphaned: false }]);
  });

  test("simultaneous writers of the same days do not deadlock, and the highest block wins for each day", async () => {
    const contract = newContract();
    const keys = Array.from({ length: 20 }, (_, day) => String(20_000 + day));
    const scans = [3, 1, 4, 2].map((block, index) => {
      const rows = keys.map((key) => snapshot(contract, block, { kind: "due", key }));
      return index % 2 === 0 ? rows : rows.toReversed();
    });
    await Promise.all(scans.map((rows) => writeSnapshots(database, rows)));
    expect(new Set(await payloads(contract))).toEqual(new Set(['{"block":4}']));
  });

  test("a scan with one invalid row writes none", async () => {
    const contract = newContract();
    const invalid = snapshot(contract, 5, { kind: "tokens", blockNumber: 2n ** 64n });
    await expect(writeSnapshots(database, [snapshot(contract, 5), invalid])).rejects.toMatchObject({
      code: "22003",
    });
    expect(await payloads(contract)).toEqual([]);
  });
});

test("reading by kind and keys excludes other kinds, other keys and other contracts", async () => {
  const contract = newContract();
  await writeSnapshots(database, [
    snapshot(contract, 1),
    snapshot(contract, 1, { kind: "due", key: "1" }),
    snapshot(contract, 1, { kind: "due", key: "2" }),
    snapshot(newContract(), 1, { kind: "due", key: "2" }),
  ]);
  const rows = await readSnapshots(database, { chainId: 31337, contract, kind: "due", keys: ["2", "3"] });
  expect(rows).toMatchObject([{ contract, kind: "due", key: "2" }]);
});

test("marking orphans starts at the fork block and returns only those not marked before", async () => {
  const contract = newContract();
  await writeSnapshots(database, [snapshot(contract, 9), snapshot(contract, 10, { kind: "tokens" })]);
  const fork = { chainId: 31337, contract, fromBlock: 10n };
  expect(await markSnapshotsOrphaned(database, fork)).toEqual([{ chainId: 31337, contract, kind: "tokens", key: "" }]);
  expect(await markSnapshotsOrphaned(database, fork)).toEqual([]);
  const rows = await readSnapshots(database, { chainId: 31337, contract });
  expect(rows.map(({ kind, orphaned }) => [kind, orphaned])).toEqual([
    ["protocol", false],
    ["tokens", true],
  ]);
});

test("pruning deletes the days that are not kept, and nothing of other kinds", async () => {
  const contract = newContract();
  const days = ["1", "2", "3"].map((key) => snapshot(contract, 1, { kind: "due", key }));
  await writeSnapshots(database, [...days, snapshot(contract, 1)]);
  const dropped = await pruneSnapshots(database, { chainId: 31337, contract, kind: "due", keep: ["2", "3"] });
  expect(dropped).toEqual([{ chainId: 31337, contract, kind: "due", key: "1" }]);
  const rows = await readSnapshots(database, { chainId: 31337, contract });
  expect(rows.map(({ kind, key }) => kind + key)).toEqual(["due2", "due3", "protocol"]);
});

test("snapshots are marked as orphaned while others are written: neither is cancelled for a deadlock", async () => {
  const contract = newContract();
  const [later, earlier] = ["readiness", "protocol"] as const;
  await writeSnapshots(database, [snapshot(contract, 5, { kind: later })]);
  await writeSnapshots(database, [snapshot(contract, 5, { kind: earlier })]);
  // With statistics, the server reads so few rows in the order in which they were stored.
  await database.sql`analyze snapshots`;
  const waiting = async (count: number) => {
    const rows =
      await database.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return rows.length === count;
  };
  const scanned = [later, earlier].map((kind) => snapshot(contract, 6, { kind }));
  const under: Promise<unknown>[] = [];
  await database.sql.begin(async (sql) => {
    await sql`select from snapshots where contract = ${contract} and starts_with(kind, ${earlier}) for update`;
    under.push(writeSnapshots(database, scanned));
    await waitUntil("the writer to wait", () => waiting(1));
    under.push(markSnapshotsOrphaned(database, { chainId: 31337, contract, fromBlock: 5n }));
    await waitUntil("the other one to wait", () => waiting(2));
  });
  await Promise.all(under);
  const rows = await readSnapshots(database, { chainId: 31337, contract });
  expect(rows.map(({ blockNumber, orphaned }) => [blockNumber, orphaned])).toEqual([
    [6n, true],
    [6n, true],
  ]);
});

describe("confirmSnapshots", () => {
  const at = (block: number) => ({
    number: BigInt(block),
    hash: `0x${block}` as const,
    timestamp: BigInt(1_770_000_000 + block),
  });
  const after = (ms: number) => new Date(COMPUTED_AT.getTime() + ms);
  const hashed = (contract: string, block: number, overrides: Partial<NewSnapshot> = {}) =>
    snapshot(contract, block, { hash: `${block}h`.padEnd(64, "0"), ...overrides });

  async function standing(contract: string) {
    const rows = await readSnapshots(database, { chainId: 31337, contract });
    return rows.map(({ kind, blockNumber, confirmedAt }) => [kind, Number(blockNumber), confirmedAt]);
  }

  test("proofs of several contents are kept in one row, which is written at most once a minute, and no snapshot is written", async () => {
    const scope = { chainId: 31337, contract: newContract() };
    const plan = hashed(scope.contract, 5, { kind: "readiness" });
    const protocol = hashed(scope.contract, 5);
    await writeSnapshots(database, [plan, protocol]);
    const versions = () => database.sql`
      select xmin::text from snapshots where contract = ${scope.contract}
      union all select xmin::text from snapshot_confirmations where contract = ${scope.contract}`;
    const written = await versions();
    await confirmSnapshots(database, {
      ...scope,
      block: at(6),
      confirmedAt: after(59_999),
      snapshots: [plan, protocol],
    });
    expect(await versions()).toEqual(written);
    await confirmSnapshots(database, {
      ...scope,
      block: at(7),
      confirmedAt: after(60_000),
      snapshots: [plan, protocol],
    });
    await confirmSnapshots(database, {
      ...scope,
      block: at(8),
      confirmedAt: after(61_000),
      snapshots: [plan, protocol],
    });
    expect(await standing(scope.contract)).toEqual([
      ["protocol", 7, after(60_000)],
      ["readiness", 7, after(60_000)],
    ]);
    expect(await versions()).toHaveLength(3);
    expect((await versions()).slice(0, 2)).toEqual([...written]);
    // The proof of the one leaves that of the other as it is.
    await confirmSnapshots(database, { ...scope, block: at(9), confirmedAt: after(120_000), snapshots: [plan] });
    expect(await standing(scope.contract)).toEqual([
      ["protocol", 7, after(60_000)],
      ["readiness", 9, after(120_000)],
    ]);
  });

  test("a proof holds for the content that it names alone, and what was proven is not replaced by an earlier block", async () => {
    const scope = { chainId: 31337, contract: newContract() };
    const first = hashed(scope.contract, 5);
    await writeSnapshots(database, [first]);
    await confirmSnapshots(database, { ...scope, block: at(9), confirmedAt: after(60_000), snapshots: [first] });
    expect(await writeSnapshots(database, [hashed(scope.contract, 8)])).toEqual([]);
    expect(await writeSnapshots(database, [hashed(scope.contract, 10)])).toHaveLength(1);
    expect(await standing(scope.contract)).toEqual([["protocol", 10, null]]);
    // A late proof of the replaced content changes nothing.
    await confirmSnapshots(database, { ...scope, block: at(11), confirmedAt: after(200_000), snapshots: [first] });
    expect(await standing(scope.contract)).toEqual([["protocol", 10, null]]);
  });

  test("where a block of a proof was replaced, the snapshot is orphaned, and the proof does not hold for the next one of the same content", async () => {
    const scope = { chainId: 31337, contract: newContract() };
    const row = hashed(scope.contract, 5);
    await writeSnapshots(database, [row]);
    await confirmSnapshots(database, { ...scope, block: at(9), confirmedAt: after(60_000), snapshots: [row] });
    await markSnapshotsOrphaned(database, { ...scope, fromBlock: 10n });
    expect(await standing(scope.contract)).toEqual([["protocol", 9, after(60_000)]]);
    await markSnapshotsOrphaned(database, { ...scope, fromBlock: 9n });
    expect(await readSnapshots(database, scope)).toMatchObject([{ orphaned: true }]);
    expect(await writeSnapshots(database, [{ ...row, blockNumber: 6n }])).toHaveLength(1);
    expect(await standing(scope.contract)).toEqual([["protocol", 6, null]]);
  });
});

describe("schema versions", () => {
  /** A row as a worker of another release writes it. */
  async function writeOther(contract: string, kind: string, block: number): Promise<void> {
    await database.sql`
      insert into snapshots (chain_id, contract, kind, key, block_number, block_hash, block_timestamp, computed_at, payload, hash)
      values (31337, ${contract}, ${kind}, '', ${block}, '0x', 0, ${COMPUTED_AT.toISOString()}, '{"of":"another version"}', '')`;
  }

  test("a row of another version beside the known one is neither read, nor replaced, nor in the way", async () => {
    const contract = newContract();
    for (const kind of ["readiness", "readiness.v0", "readiness.v999"]) await writeOther(contract, kind, 20);
    expect(await readSnapshots(database, { chainId: 31337, contract })).toEqual([]);
    // Of a lower block than the others: each version has its own row.
    expect(await writeSnapshots(database, [snapshot(contract, 10, { kind: "readiness" })])).toHaveLength(1);
    for (const filter of [{}, { kind: "readiness" as const }]) {
      expect(await readSnapshots(database, { chainId: 31337, contract, ...filter })).toMatchObject([
        { kind: "readiness", payload: '{"block":10}' },
      ]);
    }
    const rows = await database.sql`select kind from snapshots where contract = ${contract}`;
    expect(rows).toHaveLength(4);
  });

  test("pruning deletes other versions that were not written since, and keeps those that a worker still writes", async () => {
    const contract = newContract();
    await writeOther(contract, "readiness.v0", 1);
    await writeSnapshots(database, [snapshot(contract, 1, { kind: "readiness" })]);
    const scope = { chainId: 31337, contract };
    expect(await pruneSnapshotVersions(database, { ...scope, before: COMPUTED_AT })).toBe(0);
    const later = new Date(COMPUTED_AT.getTime() + 1);
    expect(await pruneSnapshotVersions(database, { ...scope, before: later })).toBe(1);
    expect(await payloads(contract)).toEqual(['{"block":1}']);
  });
});
