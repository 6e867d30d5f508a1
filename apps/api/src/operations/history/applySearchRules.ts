import { type Issue, invalidInput } from "@dueday/core/errors";

/** What a search may request: the highest `first`, which is also its default, and whether it may include details. */
export const searchRules = {
  withoutKey: { maxFirst: 10, allowsDetails: false },
  withKey: { maxFirst: 25, allowsDetails: true },
} as const;

/** The part of a search's input that depends on a developer key. */
export type LimitedSearch = { first?: number; includeDetails?: boolean };

/** What `first` of a search accepts. */
export const firstRule =
  `a whole number of entries: 1 to ${searchRules.withoutKey.maxFirst} on the free lane, ` +
  `1 to ${searchRules.withKey.maxFirst} with a developer key`;

/**
 * Checks a search against its rules.
 *
 * @returns `first`, by default the maximum
 * @throws ServiceError VALIDATION_ERROR for `first` above the maximum, and for `includeDetails: true` without a key
 */
export function applySearchRules(hasKey: boolean, { first, includeDetails = false }: LimitedSearch): { first: number } {
  const rules = hasKey ? searchRules.withKey : searchRules.withoutKey;
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
