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

test("first may be as high as the lane allows, and is that by default", () => {
  expect([applySearchRules("free", {}), applySearchRules("developer", {})]).toEqual([{ first: 10 }, { first: 25 }]);
  expect(applySearchRules("free", { first: 10 })).toEqual({ first: 10 });
  expect(issuesOf(() => applySearchRules("free", { first: 11 }))).toEqual(["first"]);
  expect(applySearchRules("developer", { first: 25 })).toEqual({ first: 25 });
  expect(issuesOf(() => applySearchRules("developer", { first: 26 }))).toEqual(["first"]);
});

test("includeDetails: true needs the developer lane; false is allowed on both", () => {
  expect(issuesOf(() => applySearchRules("free", { includeDetails: true }))).toEqual(["includeDetails"]);
  expect(issuesOf(() => applySearchRules("free", { includeDetails: true, first: 99 }))).toEqual([
    "first",
    "includeDetails",
  ]);
  expect(applySearchRules("free", { includeDetails: false })).toEqual({ first: 10 });
  expect(applySearchRules("developer", { includeDetails: true })).toEqual({ first: 25 });
});
