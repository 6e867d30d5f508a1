import { ServiceError } from "@dueday/core/errors";
import type { Address } from "viem";
import type { ChainClient } from "../client/createChainClient";
import type { SimulatedCall } from "../simulate/parseSimulation";
import { partiesOfState } from "./partiesOfPlan";
import type { ReadinessFacts } from "./presentReadiness";
import { type ReadRemitReadinessParameters, readReadinessFacts } from "./readRemitReadiness";
import { type CallerTrial, tryCaller } from "./tryCaller";

export type CallerReadiness = {
  facts: ReadinessFacts;
  /** The caller's next remit() at the block; null where it was not simulated by itself. */
  next: SimulatedCall | null;
};

/** Remit readiness of one contract for any number of callers. */
export type SharedReadiness = {
  /** As `readReadinessFacts`, with the same facts. Throws ServiceError UPSTREAM_* where the node fails. */
  read(client: ChainClient, parameters: ReadRemitReadinessParameters): Promise<CallerReadiness>;
};

/** The facts of one caller, and which accounts can't share them. */
type SharedPlan = { facts: ReadinessFacts; isParty(account: Address): boolean };
type PlansOfBlock = {
  /** The first caller's. */
  first: Promise<SharedPlan>;
  /** Resolves when the first caller's plan is among `byKind`, if it can be shared. */
  firstKind?: Promise<void>;
  byKind: Map<string, Promise<SharedPlan>>;
};

/** Plans are large where the backlog is: only those of the latest blocks are kept, and for some seconds. */
const MOST_KEPT = 3;
const KEPT_MS = 5_000;
/** The largest number of plans kept of one block: each token can make two kinds of callers. */
const MOST_KINDS = 8;

/**
 * Makes one plan for each block, that of its first caller, and shares it with every other caller for whom the plan is the same. To find that
 * out, the caller's next remit() is simulated: where it does and costs the same, and payouts in the tokens that only later calls pay cost the
 * same, the rest of the plan is the same too. For a caller that differs, such as one that already holds one of the tokens, a plan is made,
 * which is shared with callers like it. An account whose tokens the plan itself moves shares no plan.
 */
export function createSharedReadiness(): SharedReadiness {
  const blocks = new Map<string, PlansOfBlock>();

  function open(key: string, first: Promise<SharedPlan>): void {
    const opened = { first, byKind: new Map() };
    blocks.set(key, opened);
    const [oldest] = blocks.keys();
    if (blocks.size > MOST_KEPT && oldest !== undefined) blocks.delete(oldest);
    const forget = () => {
      if (blocks.get(key) === opened) blocks.delete(key);
    };
    first.then(() => setTimeout(forget, KEPT_MS), forget);
  }

  async function read(client: ChainClient, parameters: ReadRemitReadinessParameters): Promise<CallerReadiness> {
    const { contract, from, block, model } = parameters;
    const make = async () => sharedPlan(await readReadinessFacts(client, parameters));
    const key = `${block.hash} ${model}`;
    const known = blocks.get(key);
    if (known === undefined) {
      const first = make();
      open(key, first);
      return { facts: (await first).facts, next: null };
    }
    const first = await known.first;
    const { facts } = first;
    if (facts.from === from) return { facts, next: null };
    const attempt = (caller: Address) => tryOrNull(client, { contract, from: caller, block, plan: facts.plan });
    known.firstKind ??= attempt(facts.from).then((trial) => {
      if (trial?.kind && !first.isParty(facts.from)) known.byKind.set(trial.kind, known.first);
    });
    const [trial] = await Promise.all([attempt(from), known.firstKind]);
    const plan = trial?.kind && !first.isParty(from) ? ofKind(known, trial.kind, make) : make();
    return { facts: asCaller((await plan).facts, from), next: trial?.next ?? null };
  }

  return { read };
}

function ofKind({ byKind }: PlansOfBlock, kind: string, make: () => Promise<SharedPlan>): Promise<SharedPlan> {
  const known = byKind.get(kind);
  if (known !== undefined) return known;
  const made = make();
  if (byKind.size < MOST_KINDS) {
    byKind.set(kind, made);
    made.catch(() => byKind.delete(kind));
  }
  return made;
}

/** Null where the node does not simulate the caller's call: then a plan is made for each caller in a way that the node allows. */
async function tryOrNull(
  client: ChainClient,
  parameters: Parameters<typeof tryCaller>[1],
): Promise<CallerTrial | null> {
  try {
    return await tryCaller(client, parameters);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

function sharedPlan(facts: ReadinessFacts): SharedPlan {
  const { parties, plan } = facts;
  let all: ReadonlySet<string> | null = null;
  return {
    facts,
    isParty(account) {
      // Where neither parties nor details are known, any account may be a party.
      if (parties === null && plan.details === null) return true;
      all ??= new Set([...(parties ?? []), ...(plan.details === null ? [] : partiesOfState(plan.details.state))]);
      return all.has(account.toLowerCase());
    },
  };
}

function asCaller(facts: ReadinessFacts, caller: Address): ReadinessFacts {
  const { plan } = facts;
  const details = plan.details && { ...plan.details, state: { ...plan.details.state, caller } };
  return { ...facts, from: caller, plan: { ...plan, details } };
}
