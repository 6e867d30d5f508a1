import type { Lane } from "@dueday/config/limits";
import { type Issue, ServiceError } from "@dueday/core/errors";
import { searchRules } from "../../limits/policy";

/** The part of a search's input that its lane decides on. */
export type SearchInput = { first?: number; includeDetails?: boolean };

/**
 * Checks a search against the rules of its lane.
 *
 * @returns `first`, the lane's maximum where it was not given
 * @throws ServiceError VALIDATION_ERROR for `first` above the maximum, and for `includeDetails: true` where the lane has none
 */
export function applySearchRules(lane: Lane, { first, includeDetails = false }: SearchInput): { first: number } {
  const { maxFirst, allowsDetails } = searchRules[lane];
  const issues: Issue[] = [];
  if (first !== undefined && first > maxFirst) {
    const more = lane === "free" ? ` (${searchRules.developer.maxFirst} with a developer key)` : "";
    issues.push({ code: "OUT_OF_RANGE", path: "first", message: `must be at most ${maxFirst}${more}` });
  }
  if (includeDetails && !allowsDetails) {
    const message = "needs a developer key; GET /subscriptions/:id/details returns the details of one subscription";
    issues.push({ code: "LANE_REQUIRED", path: "includeDetails", message });
  }
  const [issue] = issues;
  if (issue !== undefined) throw new ServiceError("VALIDATION_ERROR", `${issue.path} ${issue.message}`, { issues });
  return { first: first ?? maxFirst };
}
