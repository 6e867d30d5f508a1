import { randomBytes } from "node:crypto";
import { lt } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { type IdentityKey, nextIdentityKey } from "../nextIdentityKey";
import { identityKey } from "../schema/access";

/**
 * Advances the stored key to the given UTC day, which deletes the keys of the days before. All processes get the same key.
 *
 * @returns the stored key; its day is later if the clock of another process was ahead
 */
export async function rotateIdentityKey(database: Database, day: number): Promise<IdentityKey> {
  const first: IdentityKey = { day, key: randomBytes(32).toString("hex") };
  return database.run("rotate the identity key", async (db) => {
    await db.insert(identityKey).values(first).onConflictDoNothing();
    const [stored] = await db.select({ day: identityKey.day, key: identityKey.key }).from(identityKey);
    if (stored === undefined) throw new Error("the identity key was removed while it was read");
    let current = stored;
    while (current.day < day) current = nextIdentityKey(current);
    if (current !== stored) await db.update(identityKey).set(current).where(lt(identityKey.day, current.day));
    return current;
  });
}
