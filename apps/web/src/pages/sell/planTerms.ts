import type { Operations } from "@dueday/sdk";

export type Token = Operations["listApprovedTokens"]["output"]["tokens"][number];

/** Value and name of each period in which a plan can be paid. */
export const frequencies = [
  [0, "each week"],
  [1, "each month"],
  [2, "each quarter"],
  [3, "each year"],
] as const;

export type Frequency = (typeof frequencies)[number][0];

/** What a seller has typed. */
export type PlanTerms = {
  name: string;
  /** In whole tokens. */
  price: string;
  /** Address of the token; empty before one is chosen. */
  token: string;
  frequency: Frequency;
  dueDay: number;
  description: string;
  url: string;
};

/** USDC on Base. */
const PRESELECTED = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/** The token that the seller has chosen; until then USDC on Base, or where that is not among them the first. */
export function chosenToken<T extends Pick<Token, "address">>(tokens: readonly T[], chosen: string): T | undefined {
  const of = (wanted: string) => tokens.find(({ address }) => address === wanted);
  return of(chosen) ?? of(PRESELECTED) ?? tokens[0];
}

/** What is stored on the chain: the first line is the plan's name. */
export function descriptionOf({ name, description }: Pick<PlanTerms, "name" | "description">): string {
  return [name, description]
    .map((text) => text.trim())
    .join("\n")
    .trim();
}
