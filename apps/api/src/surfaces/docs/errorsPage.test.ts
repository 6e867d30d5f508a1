import { expect, test } from "bun:test";
import { issueCodes, warningCodes } from "@dueday/core/codes";
import { type ErrorCode, errorStatus, ServiceError } from "@dueday/core/errors";
import errors from "../../../../../docs/errors.md" with { type: "text" };
import { errorEnvelope } from "../../answers/errorEnvelope";
import { renderErrorsPage } from "./errorsPage";

// The keys of an object literal are its type's keys.
const errorCodes = Object.keys(errorStatus) as ErrorCode[];

test("docs/errors.md has a section for each error code, with its status, and no other", () => {
  const sections = [...errors.matchAll(/^## (\w+)\n\nStatus (\d{3})/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(sections)).toEqual(Object.fromEntries(errorCodes.map((code) => [code, errorStatus[code]])));
});

test("docs/errors.md has one row with cause and repair for each code of issues, warnings and reverts, and no other", () => {
  const rows = [...errors.matchAll(/^\| `(\w+)` +\|(.+)\|$/gm)].map(([, code = "", cells = ""]) => ({ code, cells }));
  expect(rows.map(({ code }) => code).toSorted()).toEqual([...issueCodes, ...warningCodes].toSorted());
  const incomplete = rows.filter(({ cells }) => cells.split("|").some((cell) => cell.trim() === ""));
  expect(incomplete).toEqual([]);
});

test("the docs of each error, and each link within the page, lead to an anchor of the page, and each anchor is there once", () => {
  const page = renderErrorsPage();
  const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, anchor = ""]) => anchor);
  expect(anchors).toEqual([...new Set(anchors)]);
  expect(anchors).toEqual(expect.arrayContaining([...errorCodes, ...issueCodes, ...warningCodes]));
  for (const code of errorCodes) {
    const { docs } = errorEnvelope("", new ServiceError(code, ""));
    expect(anchors.map((anchor) => `/docs/errors#${anchor}`)).toContain(docs);
  }
  for (const [, target = ""] of page.matchAll(/ href="([^"]+)"/g)) {
    if (target !== "data:,") expect(anchors.map((anchor) => `#${anchor}`)).toContain(target);
  }
});
