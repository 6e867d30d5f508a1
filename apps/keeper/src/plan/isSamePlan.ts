import type { RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { RoundRemit } from "./plannedRemits";

/** Whether these transactions close the same days, handle as many payments and earn the same fees as planned. */
export function isSamePlan(planned: readonly RoundRemit[], effects: readonly RemitEffects[]): boolean {
  const isSame = (remit: RoundRemit, effect: RemitEffects | undefined) =>
    effect !== undefined && isAsPlanned(remit, effect) && isSameFees(remit.fees, effect.callerFees);
  return planned.length === effects.length && planned.every((remit, index) => isSame(remit, effects[index]));
}

/** Whether a transaction did what was planned, apart from its fees. */
export function isAsPlanned(
  planned: Pick<RoundRemit, "payments" | "closesDays">,
  effects: Pick<RemitEffects, "payments" | "closesDays">,
): boolean {
  return planned.payments === effects.payments && Bun.deepEquals([...planned.closesDays], effects.closesDays);
}

type Fees = RoundRemit["fees"];

function isSameFees(planned: Fees, received: Fees): boolean {
  const of = (fees: Fees) =>
    new Map(fees.flatMap(({ token, units }) => (units === 0n ? [] : [[token, units] as const])));
  return Bun.deepEquals(of(planned), of(received));
}
