import { Issue, Warning } from "@dueday/core/errors";
import { type TProperties, Type } from "@sinclair/typebox";

/** What an operation found out before preparing anything: its own facts, and the judgement on them. */
export function preflight<T extends TProperties>(facts: T) {
  return Type.Object({
    ready: Type.Boolean(),
    ...facts,
    issues: Type.Array(Issue),
    warnings: Type.Array(Warning),
  });
}
