import type { Tool } from "./tool";

/** Entries of a page that an agent gets unless it asks for another number. */
const AGENT_FIRST = 20;

/** Arguments whose default differs from that of REST: what an agent reads costs it tokens. */
export function agentDefaults({ input }: Pick<Tool, "input">): { detail?: "summary"; first?: number } {
  const { detail, first } = input.properties;
  return {
    ...(detail === undefined ? {} : { detail: "summary" }),
    ...(first?.default > AGENT_FIRST ? { first: AGENT_FIRST } : {}),
  };
}
