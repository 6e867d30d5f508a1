import type { RemitState } from "@dueday/core/remit/state";

/** A state with plain maps: two states with the same content may keep it in different ways. */
export function plainState({ subscriptions, tokens, ...state }: RemitState): RemitState {
  const plainTokens = [...tokens].map(
    ([token, { holdings, ...each }]) => [token, { ...each, holdings: new Map(holdings) }] as const,
  );
  return { ...state, subscriptions: new Map(subscriptions), tokens: new Map(plainTokens) };
}
