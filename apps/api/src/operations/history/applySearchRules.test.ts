import { expect, test } from "bun:test";
import { ServiceError } from "@dueday/core/errors";
import { applySearchRules } from "./applySearchRules";

function issuesOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400) return error.issues?.map(({ path }) => path);
    throw error;
  }
  return [];
}

test("first may be as high as the rules allow, and is that by default", () => {
  expect([applySearchRules(false, {}), applySearchRules(true, {})]).toEqual([{ first: 10 }, { first: 25 }]);
  expect(applySearchRules(false, { first: 10 })).toEqual({ first: 10 });
  expect(issuesOf(() => applySearchRules(false, { first: 11 }))).toEqual(["first"]);
  expect(applySearchRules(true, { first: 25 })).toEqual({ first: 25 });
  expect(issuesOf(() => applySearchRules(true, { first: 26 }))).toEqual(["first"]);
});

test("includeDetails: true needs a developer key; false is allowed without", () => {
  expect(issuesOf(() => applySearchRules(false, { includeDetails: true }))).toEqual(["includeDetails"]);
  expect(issuesOf(() => applySearchRules(false, { includeDetails: true, first: 99 }))).toEqual([
    "first",
    "includeDetails",
  ]);
  expect(applySearchRules(false, { includeDetails: false })).toEqual({ first: 10 });
  expect(applySearchRules(true, { includeDetails: true })).toEqual({ first: 25 });
});
