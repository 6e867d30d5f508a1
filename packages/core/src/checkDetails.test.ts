import { expect, test } from "bun:test";
import { checkDetails, isUnusualUrl } from "./checkDetails";

const paths = (url: string, description = "") => checkDetails({ url, description }).map((issue) => issue.path);

test("addresses that run code are refused, however they are spelled or padded", () => {
  for (const url of [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "  javascript:alert(1)",
    "\u00a0data:text/html,hi",
    "\u200bvbscript:x",
    "java script:alert(1)",
    "\ufeffDATA:text/html,hi",
    "java\u2028script:alert(1)",
  ]) {
    expect(paths(url)).toContain("details.url");
  }
});

test("control characters are refused in a url, and line breaks are accepted in a description", () => {
  for (const url of ["java\tscript:x", "https://a.example/\n", "\u0000", "https://a.example/\u0085", "\u007f"]) {
    expect(paths(url)).toContain("details.url");
  }
  expect(paths("", "two\nlines")).toEqual([]);
});

test("lengths count in bytes of UTF-8", () => {
  expect(paths("é".repeat(1024))).toEqual([]);
  expect(paths("é".repeat(1025))).toEqual(["details.url"]);
  expect(paths("", "é".repeat(2048))).toEqual([]);
  expect(paths("", "é".repeat(2049))).toEqual(["details.description"]);
});

test("half a surrogate pair is refused, because the chain would hold another text than was sent", () => {
  expect(paths("https://a.example/\ud800")).toEqual(["details.url"]);
  expect(paths("", "\udc00")).toEqual(["details.description"]);
});

test("a url that is empty or https passes without a word; others pass with a warning", () => {
  for (const url of ["", "https://a.example/plan", "HTTPS://a.example"]) expect(isUnusualUrl(url)).toBe(false);
  for (const url of ["http://a.example", "ipfs://x", "a.example", "https://", "mailto:a@b.example"]) {
    expect(isUnusualUrl(url)).toBe(true);
    expect(paths(url)).toEqual([]);
  }
});
