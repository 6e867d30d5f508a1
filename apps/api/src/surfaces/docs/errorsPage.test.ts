import { expect, test } from "bun:test";
import { join } from "node:path";
import { issueCodes, warningCodes } from "@dueday/core/codes";
import { type ErrorCode, errorStatus } from "@dueday/core/errors";

const page = await Bun.file(join(import.meta.dir, "../../../../../docs/errors.md")).text();

test("docs/errors.md has a section for each error code, with its status, and no other", async () => {
  const sections = [...page.matchAll(/^## (\w+)\n\n(\d{3})/gm)].map(([, code, status]) => [code, Number(status)]);
  // The keys of an object literal are its type's keys.
  const codes = Object.keys(errorStatus) as ErrorCode[];
  expect(Object.fromEntries(sections)).toEqual(Object.fromEntries(codes.map((code) => [code, errorStatus[code]])));
});

test("docs/errors.md has each code of issues, warnings and reverts", () => {
  const missing = [...issueCodes, ...warningCodes].filter((code) => !page.includes(`\`${code}\``));
  expect(missing).toEqual([]);
});
