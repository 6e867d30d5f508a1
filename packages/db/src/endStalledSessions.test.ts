import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { connectDatabase } from "./connectDatabase";
import { endStalledSessions } from "./endStalledSessions";

const { database, url } = await createTestDatabase();

/** A proxy before the database. After a part of a statement that contains `last`, it forwards nothing more, as from a frozen client. */
async function startFreezingProxy(last: string): Promise<{ url: string; stop(): void }> {
  const through = new URL(url);
  const port = Number(through.port);
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    sockets.push(client, upstream);
    let isFrozen = false;
    client.on("data", (chunk) => {
      if (!isFrozen) upstream.write(chunk);
      isFrozen ||= chunk.includes(last);
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  through.port = String(address.port);
  return {
    url: through.href,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test("the locks of a process that is frozen in the middle of a statement are free soon, and working sessions stay", async () => {
  await database.sql`create table stalled (id int primary key, value int)`;
  await database.sql`insert into stalled values (1, 0)`;
  const proxy = await startFreezingProxy("the last words");
  const frozen = connectDatabase({ url: proxy.url, poolSize: 1 });
  const statement = frozen.sql.begin(async (sql) => {
    await sql`update stalled set value = 1 where id = 1`;
    await sql`select ${"x"}::text as "the last words"`;
  });
  const failed = statement.then(
    () => "answered",
    () => "failed",
  );
  await waitUntil("the server to wait for the rest of the statement", async () => {
    const [row] = await database.sql<{ waits: boolean }[]>`
      select count(*) > 0 as waits from pg_stat_activity
      where state = 'active' and wait_event = 'ClientRead' and query like '%the last words%'`;
    return row?.waits === true;
  });
  const working = database.sql`select pg_sleep(1), ${1}::int as one`.then(([row]) => row?.one);
  const update = database.sql`update stalled set value = 2 where id = 1`.then(() => "updated");
  await waitUntil("the lock to be free", async () => {
    await endStalledSessions(database.sql, 300);
    return (await Promise.race([update, Bun.sleep(50)])) === "updated";
  });
  expect(await failed).toBe("failed");
  expect(await working).toBe(1);
  const [row] = await database.sql`select value from stalled`;
  expect(row?.value).toBe(2);
  await frozen.close();
  proxy.stop();
}, 60_000);
