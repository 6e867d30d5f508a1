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
  /** Address of the token; empty for the first one. */
  token: string;
  frequency: Frequency;
  dueDay: number;
  description: string;
  url: string;
};

/** What is stored on the chain: the first line is the plan's name. */
export function descriptionOf({ name, description }: Pick<PlanTerms, "name" | "description">): string {
  return [name, description]
    .map((text) => text.trim())
    .join("\n")
    .trim();
}
