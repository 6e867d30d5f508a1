import { join } from "node:path";

/** Fails where a text of the repository has one of the phrases below, for which there are plain words (CONTRIBUTING.md, "Style"): part of `bun run check`. */

const ROOT = join(import.meta.dir, "..", "..");
const REFUSED = [
  /\b(?:is|are|was|were|be) told\b/i,
  /\btells\b/i,
  /\bspeaks of\b/i,
  /\bleft away\b/i,
  /\banew\b/i,
  /\bwhoever\b/i,
  /\bnobody (?:may|can)\b/i,
  /\bis no (?:valid|module|one to)\b/i,
];
/** This file, and the example in the rule itself. */
const EXEMPT = new Set(["test/structure/words.ts", "CONTRIBUTING.md"]);

const files = new Bun.Glob("**/*.{ts,tsx,md}").scan(ROOT);
let texts = 0;
for await (const path of files) {
  if (EXEMPT.has(path) || /(?:^|\/)(?:node_modules|build|\.\w+)\//.test(path)) continue;
  texts++;
  const lines = (await Bun.file(join(ROOT, path)).text()).split("\n");
  for (const [index, line] of lines.entries()) {
    const found = REFUSED.map((word) => word.exec(line)?.[0]).find((word) => word !== undefined);
    if (found === undefined) continue;
    console.error(`${path}:${index + 1}: "${found}": write it with an ordinary verb`);
    process.exitCode = 1;
  }
}
console.log(`${texts} texts searched`);
