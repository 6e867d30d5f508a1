import { expect, test } from "bun:test";
import { join } from "node:path";
import { parse } from "@babel/parser";
import { Glob } from "bun";
import { checkSync } from "recheck";

const ROOT = join(import.meta.dir, "..");
const PROGRAMS = ["apps", "packages", "bench", "examples"].map((folder) => new Glob(`${folder}/**/*.{ts,tsx,js,mjs}`));
/** Patterns of tests meet the texts of the tests themselves; what is built or installed is not ours. */
const TESTS = /(?:^|\/)(?:node_modules|dist|build|test|solidity)\/|\.test\.tsx?$/;

/** Far more than any pattern takes, on a busy machine too. */
const UNDECIDED_MS = 60_000;
/**
 * A pattern with a look-behind or a look-ahead is judged by random texts: the same in each run, and by the number of steps. What takes
 * long on a busy machine would count as found.
 */
const JUDGED = {
  timeout: UNDECIDED_MS,
  randomSeed: 1,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
} as const;

/** A pattern with its flags, and the first place where it stands. */
type Found = { source: string; flags: string; place: string };

/**
 * Patterns that are put together when the program runs. Each was checked by hand: escaped alternatives of fixed texts, or counted
 * repetitions of one class.
 */
const COMPOSED = [
  "apps/api/src/identity/keyText.ts",
  "apps/worker/src/scheduler/describeRedisFault.ts",
  // Who runs a benchmark chooses its rows.
  "bench/freshness.ts",
  "bench/rpcCost.ts",
  "packages/config/src/createLogger.ts",
  "packages/core/src/remit/paymentFilter.ts",
];

const found = new Map<string, Found>();
const composed: string[] = [];
for (const glob of PROGRAMS)
  for await (const path of glob.scan(ROOT))
    if (!TESTS.test(path)) collect(path, await Bun.file(join(ROOT, path)).text());

/** Collects regular expressions, the text patterns of schemas (`^...$`), and calls of RegExp. */
function collect(path: string, text: string): void {
  const { tokens } = parse(text, { sourceType: "module", tokens: true, plugins: ["typescript", "jsx"] });
  for (const [index, token] of (tokens ?? []).entries()) {
    const place = `${path}:${token.loc.start.line}`;
    const { value } = token;
    if (token.type.label === "regexp") add({ source: value.pattern, flags: value.flags, place });
    if (token.type.label === "string" && /^\^.*\$$/s.test(value)) add({ source: value, flags: "u", place });
    const next = tokens?.[index + 1]?.type.label;
    if (token.type.label === "name" && value === "RegExp" && next === "(") composed.push(path);
  }
}

function add(one: Found): void {
  const key = `/${one.source}/${one.flags}`;
  if (!found.has(key)) found.set(key, one);
}

test("every regular expression of a program takes linear time for any input", () => {
  expect(found.size).toBeGreaterThan(60);
  const slow = [...found.values()].flatMap(({ source, flags, place }) => {
    // Flags that change where a search goes on, or what is returned, do not change its time.
    const checked = checkSync(source, flags.replace(/[dgy]/g, ""), JUDGED);
    if (checked.status === "safe") return [];
    const reason = checked.status === "vulnerable" ? checked.complexity.summary : `not decided in ${UNDECIDED_MS} ms`;
    return [`${place} /${source}/${flags}: ${reason}`];
  });
  expect(slow).toEqual([]);
}, 300_000);

test("no program puts a pattern together at run time but those that were checked by hand", () => {
  expect([...new Set(composed)].toSorted()).toEqual(COMPOSED);
});

test.each([
  [/\s+$/, "vulnerable"],
  [/block[^.]* (?:not found|unknown)/i, "vulnerable"],
  [/^(a+)+$/, "vulnerable"],
  [/^a+$/, "safe"],
])("the check finds what takes longer: %p is %s", ({ source, flags }, status) => {
  expect(String(checkSync(source, flags, JUDGED).status)).toBe(status);
});
