import { expect, test } from "bun:test";
import { join } from "node:path";
import { type ErrorCode, errorStatus } from "@dueday/core/errors";

test("docs/errors.md has a section for each error code, with its status, and no other", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../../../docs/errors.md")).text();
  const sections = [...page.matchAll(/^## (\w+)\n\n(\d{3})/gm)].map(([, code, status]) => [code, Number(status)]);
  // The keys of an object literal are its type's keys.
  const codes = Object.keys(errorStatus) as ErrorCode[];
  expect(Object.fromEntries(sections)).toEqual(Object.fromEntries(codes.map((code) => [code, errorStatus[code]])));
});
