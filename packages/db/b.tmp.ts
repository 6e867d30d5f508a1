import { mkdtemp } from "node:fs/promises";
import { connectDatabase } from "./src/connectDatabase";
import { startEmbeddedPostgres } from "./src/embedded/startEmbeddedPostgres";
import { rebuildDerived } from "./src/index/rebuildDerived";
import { rewindLogs } from "./src/index/rewindLogs";
import { storeLogs } from "./src/index/storeLogs";

const dataDir = await mkdtemp("/tmp/i8bench-");
const server = await startEmbeddedPostgres({ dataDir, temporary: true });
const database = connectDatabase({ url: server.url, deadlineMs: 120000 });
await database.sql.unsafe(await Bun.file("/tmp/gen/schema.sql").text());
const scope = { chainId: 1, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };
const word = (n: number) => `0x${Bun.hash(String(n)).toString(16).padStart(64, "0")}` as `0x${string}`;
const addr = (n: number) =>
  `0x${Bun.hash("a" + n)
    .toString(16)
    .padStart(40, "0")}` as `0x${string}`;
let after: any = null;
const N = 100000,
  PER = Number(process.argv[2] ?? 10000);
const li = 0;
const t0 = performance.now();
for (let s = 0; s < N; s += PER) {
  const logs: any[] = [];
  const terms: any[] = [];
  for (let i = s; i < s + PER; i++) {
    const b = 1 + Math.floor(i / 50);
    const sub = i % 20 === 0 ? i : Math.floor(Math.random() * Math.floor(i / 20)) * 20;
    const code = i % 20 === 0 ? 0 : i % 20 === 1 ? 6 : i % 20 === 2 ? 7 : [5, 2, 8, 2][i % 4]!;
    if (code === 0) terms.push({ id: word(sub), createdBlock: b, frequency: sub % 4, dueDay: 1 });
    logs.push({
      blockNumber: b,
      logIndex: i % 50,
      blockHash: word(b + 1e7),
      transactionHash: word(i + 2e7),
      data: "0x",
      event: {
        event: "SubLog",
        id: word(sub),
        provider: addr(sub % 200),
        subscriber: addr(1000 + (i % 2000)),
        timestamp: 1700000000 + i,
        amount: BigInt(i) * 10n ** 15n,
        token: addr(7),
        code,
      },
    });
  }
  const last = logs.at(-1)!.blockNumber;
  const cp = { number: last, hash: word(last + 1e7), timestamp: 1 };
  const t = performance.now();
  const ok = await storeLogs(database, scope, {
    after,
    checkpoint: cp,
    blocks: [cp],
    logs,
    terms,
    tokens: [],
    headNumber: last,
    blocksPerSecond: null,
    confirmedAt: new Date(),
  });
  console.log(ok, s, (performance.now() - t).toFixed(0));
  after = cp;
}
console.log("total", performance.now() - t0);
let t = performance.now();
console.log(await rebuildDerived(database, scope), performance.now() - t);
const dump = async () =>
  Object.fromEntries(
    await Promise.all(
      ["subscriptions", "memberships", "activity_counters", "provider_profiles", "keeper_calls"].map(async (n) => [
        n,
        (await database.sql`select md5(string_agg(r::text,',' order by r::text)) from ${database.sql(n)} r`)[0]!.md5,
      ]),
    ),
  );
t = performance.now();
const blk = await database.sql`select number::int from indexed_blocks order by number limit 5`;
const anc = blk.at(-1)!.number;
console.log(await rewindLogs(database, scope, { number: anc, hash: word(anc + 1e7) }), performance.now() - t);
const a = await dump();
await rebuildDerived(database, scope);
console.log(a, Bun.deepEquals(a, await dump()));
await database.close();
await server.stop();
