import type { Lane } from "@dueday/config/limits";
import { type Issue, ServiceError } from "@dueday/core/errors";

/** Most entries that one search may ask for, by lane (interface, "Limits"). */
export const searchFirstCaps: Readonly<Record<Lane, number>> = { free: 10, developer: 25 };

/** What a search asks for that its lane decides on. */
export type SearchAsked = { first?: number; includeDetails?: boolean };

/**
 * Holds a search against the rules of its lane.
 *
 * @returns `first`, the lane's cap where it was not given
 * @throws ServiceError VALIDATION_ERROR for `first` above the cap, and for `includeDetails: true` on the free lane
 */
export function applySearchRules(lane: Lane, { first, includeDetails = false }: SearchAsked): { first: number } {
  const cap = searchFirstCaps[lane];
  const issues: Issue[] = [];
  if (first !== undefined && first > cap) {
    const more = lane === "free" ? ` (${searchFirstCaps.developer} with a developer key)` : "";
    issues.push({ code: "OUT_OF_RANGE", path: "first", message: `must be at most ${cap}${more}` });
  }
  if (includeDetails && lane === "free") {
    const message = "needs a developer key; GET /subscriptions/:id/details reads those of one subscription";
    issues.push({ code: "LANE_REQUIRED", path: "includeDetails", message });
  }
  const [issue] = issues;
  if (issue !== undefined) throw new ServiceError("VALIDATION_ERROR", `${issue.path} ${issue.message}`, { issues });
  return { first: first ?? cap };
}
