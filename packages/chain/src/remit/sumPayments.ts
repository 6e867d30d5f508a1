import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { SelectedPayments } from "@dueday/core/remit/forecastView";
import type { PaymentOutcome } from "@dueday/core/remit/plan";
import type { RemitState } from "@dueday/core/remit/state";
import type { Address, Hex } from "viem";
import { expectToken } from "../reads/expectToken";
import type { TokenInfos } from "../reads/readTokenInfos";

/** The payments that are handled, and what those that succeed move, by token. */
export function sumPayments(
  payments: readonly { id: Hex; outcome: PaymentOutcome }[],
  { state, tokens }: { state: Pick<RemitState, "subscriptions">; tokens: TokenInfos },
): SelectedPayments {
  // By id first: there may be a million payments, and each of an id has the same amount.
  const byId = new Map<Hex, { payments: number; failures: number }>();
  for (const { id, outcome } of payments) {
    if (outcome === "skipped" || outcome === "missed") continue;
    const sum = byId.get(id) ?? { payments: 0, failures: 0 };
    sum.payments++;
    if (outcome === "fails_allowance" || outcome === "fails_balance") sum.failures++;
    byId.set(id, sum);
  }
  const byToken = new Map<Address, { units: bigint; payments: number }>();
  const all = { payments: 0, expectedFailures: 0 };
  for (const [id, { payments, failures }] of byId) {
    const subscription = state.subscriptions.get(id);
    if (subscription === undefined) throw new Error(`subscription ${id} was not read`);
    const { token, amount } = subscription;
    const sum = byToken.get(token) ?? { units: 0n, payments: 0 };
    sum.units += BigInt(payments - failures) * toTokenUnits(amount, expectToken(tokens, token).decimals);
    sum.payments += payments;
    byToken.set(token, sum);
    all.payments += payments;
    all.expectedFailures += failures;
  }
  return {
    ...all,
    byToken: [...byToken].map(([token, { units, payments }]) => ({
      ...tokenAmount(expectToken(tokens, token), units),
      payments,
    })),
  };
}
