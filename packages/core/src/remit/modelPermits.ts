import type { Address } from "viem";
import type { KeptPermit } from "../permit/permit";
import { ChangedMap } from "./changedMap";
import type { PlannedPayment } from "./plan";
import { type ModelledPlan, planRemitInSlices } from "./planRemit";
import type { RemitState } from "./state";

/** What a permit sets: the allowance of its owner in a token. */
type AllowanceOf = Pick<KeptPermit, "token" | "owner" | "value">;

/** A permit that saves payments of a plan. */
export type SavingPermit<P> = {
  permit: P;
  /** Payments of the owner in the token that are paid only with the permits, in the order of the plan with them. */
  saves: PlannedPayment[];
  /** What the caller earns in addition for the owner's payments, token units. */
  callerFee: bigint;
};

/** The plan after permits, by the model, and what each of them saves. */
export type PermitsModel<P> = { plan: ModelledPlan; permits: SavingPermit<P>[] };

/**
 * The most rounds. Each drops the permits that save nothing or make a payment fail. Accounts that pay one another can need
 * a second round; more than five are not worth the time.
 */
const MOST_ROUNDS = 5;

/**
 * The plan of `state` after the useful permits are submitted: those that save a payment and make none fail. `permits` has at
 * most one for each owner and token, `payments` are those of the plan without permits. Null where no permit saves anything, or where five
 * rounds do not find which do.
 */
export async function modelPermits<P extends AllowanceOf>(
  state: RemitState,
  payments: readonly PlannedPayment[],
  permits: readonly P[],
): Promise<PermitsModel<P> | null> {
  const tokenOf = ({ id }: PlannedPayment) => state.subscriptions.get(id)?.token;
  const before = byPayer(payments, tokenOf);
  let left = permits;
  for (let round = 0; round < MOST_ROUNDS && left.length > 0; round++) {
    const plan = await planRemitInSlices(withAllowances(state, left));
    const after = byPayer(plan.details.payments, tokenOf);
    const judged = left.map((permit) => judge(permit, before, after));
    const saving = judged.filter((each) => each !== null);
    if (saving.length === left.length) return { plan, permits: saving };
    left = saving.map(({ permit }) => permit);
  }
  return null;
}

/** The state in which these allowances are set. */
export function withAllowances(state: RemitState, permits: readonly AllowanceOf[]): RemitState {
  const tokens = new Map(state.tokens);
  for (const [address, own] of Map.groupBy(permits, ({ token }) => token)) {
    const token = tokens.get(address);
    if (token === undefined) continue;
    const balanceOf = (owner: Address) => token.holdings.get(owner)?.balance ?? 0n;
    const changes = new Map(own.map(({ owner, value }) => [owner, { balance: balanceOf(owner), allowance: value }]));
    tokens.set(address, { ...token, holdings: new ChangedMap(token.holdings, changes) });
  }
  return { ...state, tokens };
}

/** Null for a permit that saves nothing, or that makes a payment fail. */
function judge<P extends AllowanceOf>(permit: P, before: ByPayer, after: ByPayer): SavingPermit<P> | null {
  const payer = payerOf(permit.token, permit.owner);
  const [old, current] = [before.get(payer) ?? [], after.get(payer) ?? []];
  const paidBefore = new Set(old.filter(isPaid).map(keyOf));
  const paidAfter = new Set(current.filter(isPaid).map(keyOf));
  const saves = current.filter((payment) => isPaid(payment) && !paidBefore.has(keyOf(payment)));
  if (saves.length === 0 || [...paidBefore].some((key) => !paidAfter.has(key))) return null;
  return { permit, saves, callerFee: feesOf(current) - feesOf(old) };
}

type ByPayer = ReadonlyMap<string, readonly PlannedPayment[]>;

function byPayer(
  payments: readonly PlannedPayment[],
  tokenOf: (payment: PlannedPayment) => Address | undefined,
): ByPayer {
  const groups = new Map<string, PlannedPayment[]>();
  for (const payment of payments) {
    const token = tokenOf(payment);
    if (token === undefined) continue;
    const payer = payerOf(token, payment.subscriber);
    const group = groups.get(payer);
    if (group === undefined) groups.set(payer, [payment]);
    else group.push(payment);
  }
  return groups;
}

function payerOf(token: Address, account: Address): string {
  return `${token} ${account}`;
}

function keyOf({ id, dayNumber }: PlannedPayment): string {
  return `${dayNumber} ${id}`;
}

function isPaid({ outcome }: PlannedPayment): boolean {
  return outcome === "paid" || outcome === "fee_fill";
}

function feesOf(payments: readonly PlannedPayment[]): bigint {
  return payments.reduce((sum, { callerFee }) => sum + callerFee, 0n);
}
