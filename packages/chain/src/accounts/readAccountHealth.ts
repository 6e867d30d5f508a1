import { formatUnits } from "@dueday/core/amounts/decimalText";
import { planName } from "@dueday/core/amounts/planName";
import { amountFields, tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { frequencyLabel } from "@dueday/core/calendar/frequency";
import { nextChargeDay } from "@dueday/core/calendar/nextChargeDay";
import { createChargedDays } from "@dueday/core/remit/createChargedDays";
import type { AccountHealthView } from "@dueday/core/schemas/accountHealth";
import type { CoverageWalk } from "@dueday/core/walk/walkCoverage";
import { type CuredCharge, walkCured } from "@dueday/core/walk/walkCured";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "../reads/expectToken";
import type { SubscriptionRecord } from "../reads/readSubscriptions";
import { readTokenInfos, type TokenInfos } from "../reads/readTokenInfos";
import type { CoverageReader } from "../walk/createCoverageReader";
import { withDecimals } from "../walk/estimateCoverage";
import { presentCoverage } from "../walk/presentCoverage";
import { canPayNow, readRefusedPayments } from "../walk/readRefusedPayments";
import { readOwnWalk } from "./readOwnWalk";

export type AccountHealthParameters = {
  contract: Address;
  account: Address;
  /** Days after today that are looked at, 1 to 400. */
  days: number;
  coverage: CoverageReader;
  block: ChainBlock;
  /** Descriptions of plans, where an index knows them. Without this function plans are named by their terms. */
  describe?(ids: readonly Hex[]): Promise<ReadonlyMap<Hex, string>>;
};

/** The largest number of plans whose transfer is tried. */
const MOST_TRIED = 200;

/**
 * Whether the coming charges of an account pass, each failure of the window, and what repairs them. The number of round trips does not
 * depend on the number of plans. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function readAccountHealth(
  client: ChainClient,
  { contract, account, days, coverage, block, describe }: AccountHealthParameters,
): Promise<AccountHealthView> {
  const walk = await readOwnWalk(client, { contract, account, coverage, block });
  const plans = walk.plansOf(account);
  const infos = await readTokenInfos(client, { contract, tokens: plans.map(({ token }) => token), block });
  const tried = withDecimals(plans.slice(0, MOST_TRIED), infos);
  const [refused, descriptions, { charges }] = await Promise.all([
    readRefusedPayments(client, { contract, account, plans: tried, block }),
    describe?.(plans.map(({ id }) => id)) ?? new Map<Hex, string>(),
    walkCured(walk.state, account, days),
  ]);
  const isRefused = (id: Hex) => refused.has(id) && canPayNow(walk.state, id, account);
  const isCharged = createChargedDays(walk);
  const tokens = [...new Set(plans.map(({ token }) => token))].map((token) =>
    sumToken(walk, { account, token, charges: charges.filter((charge) => charge.token === token) }),
  );
  return {
    account,
    days,
    tokens: tokens.map((sums) => presentToken(sums, infos)),
    plans: plans.map((record) => {
      const { id, frequency, dueDay, token } = record;
      const { nextUncheckedDay } = walk.state;
      const isPaused = walk.state.tokens.get(token)?.paused === true;
      const next = { frequency, dueDay, nextUncheckedDay, isCharged: (day: number) => isCharged(id, account, day) };
      const { coveredPayments, failsOn, cause, estimated } = presentCoverage(walk.coverageOf(id, account));
      return {
        ...presentPlan(record, infos, descriptions.get(id) ?? null),
        nextDueDate: isPaused ? null : dayToDate(nextChargeDay(next)),
        coveredPayments,
        failsOn,
        cause,
        estimated,
        hindrance: isPaused ? "token_paused" : isRefused(id) ? "token_refuses" : null,
      };
    }),
    failures: charges.flatMap((charge) => presentFailures(charge, infos)),
    repair: {
      approve: tokens
        .filter(({ missing }) => missing.allowance > 0n)
        .map(({ token, held, missing }) => tokenAmount(expectToken(infos, token), held.allowance + missing.allowance)),
      topUp: tokens
        .filter(({ missing }) => missing.balance > 0n)
        .map(({ token, missing }) => tokenAmount(expectToken(infos, token), missing.balance)),
    },
  };
}

type TokenSums = {
  token: Address;
  held: { allowance: bigint; balance: bigint };
  due: bigint;
  missing: { allowance: bigint; balance: bigint };
  coveredUntilDay: number | null;
};

function sumToken(
  walk: CoverageWalk,
  { account, token, charges }: { account: Address; token: Address; charges: readonly CuredCharge[] },
): TokenSums {
  const held = walk.state.tokens.get(token)?.holdings.get(account) ?? { allowance: 0n, balance: 0n };
  const missing = { allowance: 0n, balance: 0n };
  let due = 0n;
  for (const { units, lack } of charges) {
    due += units;
    missing.allowance += lack?.allowance ?? 0n;
    missing.balance += lack?.balance ?? 0n;
  }
  const plans = walk.plansOf(account).filter((plan) => plan.token === token);
  const failing = plans.flatMap(({ id }) => walk.coverageOf(id, account).failsDay ?? []);
  const coveredUntilDay = failing.length === 0 ? null : Math.min(...failing) - 1;
  return { token, held, due, missing, coveredUntilDay };
}

function presentToken({ token, held, due, missing, coveredUntilDay }: TokenSums, infos: TokenInfos) {
  const { symbol, decimals } = expectToken(infos, token);
  const text = (units: bigint) => formatUnits(units, decimals);
  return {
    token,
    symbol,
    tokenDecimals: decimals,
    allowance: text(held.allowance),
    allowanceRaw: held.allowance.toString(),
    balance: text(held.balance),
    balanceRaw: held.balance.toString(),
    due: text(due),
    dueRaw: due.toString(),
    coveredUntilDate: coveredUntilDay === null ? null : dayToDate(coveredUntilDay),
    missingAllowance: text(missing.allowance),
    missingAllowanceRaw: missing.allowance.toString(),
    missingBalance: text(missing.balance),
    missingBalanceRaw: missing.balance.toString(),
  };
}

function presentPlan(record: SubscriptionRecord, infos: TokenInfos, description: string | null) {
  const token = expectToken(infos, record.token);
  return {
    id: record.id,
    name: planName({ ...record, description, token }),
    token: token.address,
    tokenSymbol: token.symbol,
    ...amountFields(toTokenUnits(record.amount, token.decimals), token.decimals),
    frequencyLabel: frequencyLabel(record.frequency),
  };
}

/** A charge may lack both: the contract checks the allowance first, and the balance only where the allowance is enough. */
function presentFailures({ id, token, dayNumber, lack }: CuredCharge, infos: TokenInfos) {
  if (lack === null) return [];
  const { decimals } = expectToken(infos, token);
  return (["allowance", "balance"] as const)
    .filter((cause) => lack[cause] > 0n)
    .map((cause) => ({
      date: dayToDate(dayNumber),
      id,
      cause,
      token,
      missing: formatUnits(lack[cause], decimals),
      missingRaw: lack[cause].toString(),
      tokenDecimals: decimals,
    }));
}
