import type { NamedPlan } from "@dueday/core/amounts/planName";
import type { NamedSeller } from "@dueday/core/schemas/seller";
import { cleanText } from "@dueday/core/text/cleanText";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { IndexScope } from "../eventIndex/coveredHead";
import { type IndexAnswer, type NoState, readIndex } from "../eventIndex/readIndex";
import { bytesList, fromBytes } from "../rows/bytes";
import { verifiedDomain } from "./verifiedDomain";

type StoredPlan = NamedPlan & { provider: Hex };

export type StoredNames = {
  /** By id; one that is unknown is absent. */
  plans: Map<Hex, StoredPlan>;
  /** By address: all that were asked for, and the providers of the plans; one without a profile is absent. */
  sellers: Map<Hex, NamedSeller>;
};

/** The current names of plans and of their sellers, read in two statements, whatever their number. */
export async function readNames(
  database: Database,
  scope: IndexScope,
  { ids, providers }: { ids: readonly Hex[]; providers: readonly Hex[] },
): Promise<IndexAnswer<StoredNames> | NoState> {
  return readIndex(database, scope, null, async (sql) => {
    const { chainId, contract } = scope;
    const rows = await sql<PlanRow[]>`
      select s.id, s.provider, s.description, s.amount, s.frequency, t.symbol, t.decimals
      from ${bytesList(sql, ids)} asked(id)
      join subscriptions s on s.chain_id = ${chainId} and s.contract = ${contract} and s.id = asked.id
      left join indexed_tokens t on t.chain_id = s.chain_id and t.contract = s.contract and t.token = s.token`;
    const plans = new Map(rows.map((row) => [fromBytes(row.id), toPlan(row)]));
    const sellers = [...providers, ...[...plans.values()].map(({ provider }) => provider)];
    const found = await sql<{ provider: Uint8Array; company: string; verified_domain: string | null }[]>`
      select p.provider, p.company, ${verifiedDomain(sql)} as verified_domain
      from (select distinct provider from ${bytesList(sql, sellers)} each(provider)) asked
      join provider_profiles p on p.chain_id = ${chainId} and p.contract = ${contract} and p.provider = asked.provider`;
    return {
      plans,
      sellers: new Map(
        found.map(({ provider, company, verified_domain }) => [
          fromBytes(provider),
          { company, verifiedDomain: verified_domain },
        ]),
      ),
    };
  });
}

type PlanRow = Record<"id" | "provider", Uint8Array> & {
  description: string | null;
  amount: string;
  frequency: number;
  symbol: string | null;
  decimals: number | null;
};

function toPlan({ provider, description, amount, frequency, symbol, decimals }: PlanRow): StoredPlan {
  // The indexer stores a token with its first event.
  const token = { symbol: cleanText(symbol ?? "").text, decimals: decimals ?? 18 };
  return { provider: fromBytes(provider), description, amount: BigInt(amount), frequency, token };
}
