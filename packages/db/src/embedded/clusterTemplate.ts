import { createHash } from "node:crypto";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "@dueday/core/calendar/dayNumber";
import { migrateDatabase, migrationHashes } from "../migrateDatabase";
import { makeOnce, removeMade } from "./makeOnce";
import { lastChange } from "./processFolder";
import { INITDB_OPTIONS, MAJOR_VERSION, startEmbeddedPostgres } from "./startEmbeddedPostgres";

const PREFIX = "cluster-";
/** Templates have some 40 MB, and each set of migrations has its own. */
const UNUSED_MS = 30 * DAY_MS;

/**
 * A stopped cluster whose database is migrated, to copy for temporary servers: the copy takes a tenth of the time of initdb and the
 * migrations. The first start of each version makes it; templates of other versions that no start has used for 30 days are removed.
 *
 * @param cache a folder that the server's user can enter
 * @returns its folder
 */
export async function clusterTemplate(cache: string, now: Date): Promise<string> {
  const facts = [process.platform, process.arch, ...INITDB_OPTIONS, ...(await migrationHashes())];
  const hash = createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);
  const name = `${PREFIX}${MAJOR_VERSION}-${hash}`;
  const template = await makeOnce(cache, name, async (dataDir) => {
    const server = await startEmbeddedPostgres({ dataDir, cacheDir: cache });
    try {
      await migrateDatabase(server.url);
    } finally {
      await server.stop();
    }
  });
  await utimes(template, now, now);
  await removeUnused(cache, name, now);
  return template;
}

/** Removes the templates that no start has used lately: each start sets the modification time of the template that it uses. */
async function removeUnused(cache: string, used: string, now: Date): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(PREFIX) || name === used) continue;
    const usedAt = await lastChange(join(cache, name));
    if (usedAt !== null && now.getTime() - usedAt.getTime() > UNUSED_MS) await removeMade(cache, name);
  }
}
