import type { KeptPermit } from "@dueday/core/permit/permit";
import { and, asc, eq, inArray, or, sql } from "drizzle-orm";
import { getAddress, type Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { permits } from "../schema/permits";

/**
 * `kept` can be submitted. `replaced` and `withdrawn` permits are refused when they are sent again. A `dropped` permit was over according to
 * the chain, and may be sent again.
 */
type PermitState = "kept" | "replaced" | "withdrawn" | "dropped";

/** A permit with its place in the store. */
export type StoredPermit = KeptPermit & { id: string; seq: number; createdAt: Date };

export type NewPermit = ContractScope & {
  id: string;
  permit: KeptPermit;
  /** The digest that was signed. */
  hash: Hex;
  /** Unix seconds of the chain's newest block: permits of the chain that expired before it are removed. */
  blockTimestamp: bigint;
  now: Date;
};

/** The condition of a permit that is kept for a contract. */
export function isKept({ chainId, contract }: ContractScope) {
  return and(eq(permits.chainId, chainId), eq(permits.contract, contract), eq(permits.state, "kept"));
}

/** How many expired permits one call removes at most. */
const MOST_REMOVED = 100;

/**
 * Keeps a permit in place of the owner's earlier one in the token, and removes expired ones. A permit that is already kept is returned as
 * it is stored.
 *
 * @returns the kept permit, or why the permit is refused: it was replaced or withdrawn before
 */
export async function storePermit(
  database: Database,
  { id, chainId, contract, permit, hash, blockTimestamp, now }: NewPermit,
): Promise<StoredPermit | { refused: "replaced" | "withdrawn" }> {
  const { token, owner } = permit;
  return database.run("keep a permit", (db) =>
    db.transaction(async (transaction) => {
      // Of two permits that arrive at the same time, the second replaces the first.
      await transaction.execute(
        sql`select pg_advisory_xact_lock(hashtextextended(${`permits:${chainId}:${contract}:${token}:${owner}`}, 0))`,
      );
      await transaction.execute(sql`
        delete from ${permits} where id in
          (select id from ${permits} where chain_id = ${chainId} and deadline < ${blockTimestamp.toString()}::bigint
            order by deadline limit ${MOST_REMOVED})`);
      const [known] = await transaction
        .select()
        .from(permits)
        .where(and(eq(permits.chainId, chainId), eq(permits.contract, contract), eq(permits.hash, hash)));
      if (known?.state === "kept") return toStored(known);
      if (known !== undefined && known.state !== "dropped")
        return { refused: known.state === "withdrawn" ? "withdrawn" : "replaced" };
      if (known !== undefined) await transaction.delete(permits).where(eq(permits.id, known.id));
      await transaction
        .update(permits)
        .set({ state: "replaced" })
        .where(and(isKept({ chainId, contract }), eq(permits.token, token), eq(permits.owner, owner)));
      const [stored] = await transaction
        .insert(permits)
        .values({ ...permit, id, chainId, contract, hash, state: "kept", createdAt: now })
        .returning();
      if (stored === undefined) throw new Error("the permit was not stored");
      return toStored(stored);
    }),
  );
}

type OfContract = ContractScope & { id: string };

/** A kept permit; null for none of this id. */
export async function findPermit(database: Database, { id, ...scope }: OfContract): Promise<StoredPermit | null> {
  const [row] = await database.run("find a permit", (db) =>
    db
      .select()
      .from(permits)
      .where(and(eq(permits.id, id), isKept(scope))),
  );
  return row === undefined ? null : toStored(row);
}

/** An account and a token that it pays in. */
type Payer = { token: Hex; owner: Hex };

/** The kept permits of some payers: at most one for each. */
export async function permitsOf(
  database: Database,
  scope: ContractScope,
  payers: readonly Payer[],
): Promise<StoredPermit[]> {
  if (payers.length === 0) return [];
  const rows = await database.run("find the permits of payers", (db) =>
    db
      .select()
      .from(permits)
      .where(
        and(
          isKept(scope),
          or(...payers.map(({ token, owner }) => and(eq(permits.token, token), eq(permits.owner, owner)))),
        ),
      )
      .orderBy(asc(permits.seq)),
  );
  return rows.map(toStored);
}

/** Whether any permit is kept for a contract. */
export async function hasPermits(database: Database, scope: ContractScope): Promise<boolean> {
  const rows = await database.run("look for kept permits", (db) =>
    db.select({ id: permits.id }).from(permits).where(isKept(scope)).limit(1),
  );
  return rows.length > 0;
}

/**
 * Ends kept permits: withdrawn by their owner, or dropped because the chain shows that they are over.
 *
 * @returns how many were kept until then
 */
export async function endPermits(
  database: Database,
  ids: readonly string[],
  state: Extract<PermitState, "withdrawn" | "dropped">,
): Promise<number> {
  if (ids.length === 0) return 0;
  const ended = await database.run("end permits", (db) =>
    db
      .update(permits)
      .set({ state })
      .where(and(inArray(permits.id, [...ids]), eq(permits.state, "kept")))
      .returning({ id: permits.id }),
  );
  return ended.length;
}

/** Converts a row of the table to what its readers get. */
export function toStored(row: typeof permits.$inferSelect): StoredPermit {
  const { token, owner, contract } = row;
  return { ...row, token: getAddress(token), owner: getAddress(owner), spender: getAddress(contract) };
}
