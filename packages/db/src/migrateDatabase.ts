import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres, { type Sql } from "postgres";
import { toDatabaseError } from "./databaseError";
import { withDeadline } from "./withDeadline";

const MIGRATIONS_FOLDER = join(import.meta.dir, "..", "migrations");

/** Key of the advisory lock that serializes migrations; any number that is the same in every process. */
const MIGRATION_LOCK = 0x6475_6564;

/** Allows for a table rewrite, and for other processes that migrate first. */
const DEADLINE_MS = 300_000;

const Journal = Type.Object({ entries: Type.Array(Type.Object({ tag: Type.String(), when: Type.Integer() })) });

type Migration = Static<typeof Journal>["entries"][number] & { hash: string };

/**
 * Applies the migrations that are missing; any number of processes may do so at once. drizzle only compares the newest time
 * stamp and silently skips older migrations, so the journal and the applied migrations are compared here first.
 *
 * @throws Error if a migration was edited after it was applied, or the database was migrated by a newer version
 */
export async function migrateDatabase(url: string, migrationsFolder: string = MIGRATIONS_FOLDER): Promise<void> {
  const migrations = await readMigrations(migrationsFolder);
  // An advisory lock belongs to a connection, so lock and migration must share one.
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await withDeadline("migrate", DEADLINE_MS, async () => {
      await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
      checkApplied(migrations, await readApplied(sql));
      await migrate(drizzle(sql), { migrationsFolder });
    });
  } catch (error) {
    throw toDatabaseError("migrate", error);
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/** Identifies the schema that `migrateDatabase` leads to. */
export async function migrationHashes(): Promise<string[]> {
  return (await readMigrations(MIGRATIONS_FOLDER)).map(({ hash }) => hash);
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const { entries } = Value.Parse(Journal, await Bun.file(join(folder, "meta", "_journal.json")).json());
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    if (before !== undefined && before.when >= entry.when) {
      throw new Error(
        `migration ${entry.tag} is not younger than ${before.tag}: delete it and generate it again with db:generate`,
      );
    }
  }
  return Promise.all(
    entries.map(async (entry) => {
      const text = await readFile(join(folder, `${entry.tag}.sql`), "utf8");
      return { ...entry, hash: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/** Hashes of the applied migrations, oldest first, as drizzle records them. */
async function readApplied(sql: Sql): Promise<string[]> {
  const [found] = await sql<{ name: string | null }[]>`select to_regclass('drizzle.__drizzle_migrations') as name`;
  if (found?.name === null) return [];
  const rows = await sql<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations order by created_at`;
  return rows.map((row) => row.hash);
}

function checkApplied(migrations: Migration[], applied: string[]): void {
  for (const [index, hash] of applied.entries()) {
    const migration = migrations[index];
    if (migration === undefined) {
      throw new Error("the database was migrated by a newer version of this service: run that version");
    }
    if (migration.hash !== hash) {
      throw new Error(
        `migration ${migration.tag} was changed after it was applied to this database: restore its file and add a new migration`,
      );
    }
  }
}
