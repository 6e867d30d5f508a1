import type { ActionProgress } from "./actionProgress";

/** Why the service refused the value of a field, in its own words; undefined where it did not. */
export function faultOf(progress: ActionProgress, path: string): string | undefined {
  if (progress.step !== "failed") return undefined;
  return progress.failure.issues.find((issue) => issue.path === path)?.message;
}
