import type { Lane } from "@dueday/config/limits";
import { type Issue, invalidInput } from "@dueday/core/errors";
import { searchRules } from "../../limits/policy";

/** The part of a search's input that its lane limits. */
export type LimitedSearch = { first?: number; includeDetails?: boolean };

/** What `first` of a search accepts, by lane. */
export const firstRule =
  `a whole number of entries: 1 to ${searchRules.free.maxFirst} on the free lane, ` +
  `1 to ${searchRules.developer.maxFirst} with a developer key`;

/**
 * Checks a search against the rules of its lane.
 *
 * @returns `first`, by default the lane's maximum
 * @throws ServiceError VALIDATION_ERROR for `first` above the maximum, and for `includeDetails: true` on the free lane
 */
export function applySearchRules(lane: Lane, { first, includeDetails = false }: LimitedSearch): { first: number } {
  const rules = searchRules[lane];
  const issues: Issue[] = [];
  if (first !== undefined && first > rules.maxFirst) {
    issues.push({ code: "OUT_OF_RANGE", path: "first", message: `must be ${firstRule}` });
  }
  if (includeDetails && !rules.allowsDetails) {
    const message = "needs a developer key; without one, read the details of one subscription at a time";
    issues.push({ code: "LANE_REQUIRED", path: "includeDetails", message });
  }
  if (issues.length > 0) throw invalidInput(issues);
  return { first: first ?? rules.maxFirst };
}
