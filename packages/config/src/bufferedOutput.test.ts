import { expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { bufferedOutput } from "./bufferedOutput";

test("whatever is written arrives whole and in order, text beyond a block and beyond ASCII included", () => {
  const folder = mkdtempSync(join(tmpdir(), "dueday-output-"));
  const text = fc.tuple(fc.string({ unit: "grapheme", maxLength: 40 }), fc.integer({ min: 0, max: 3_000 }));
  try {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (parts) => {
        const file = join(folder, "lines");
        const descriptor = openSync(file, "w");
        const output = bufferedOutput(descriptor);
        const written = parts.map(([part, times]) => part.toWellFormed().repeat(times));
        for (const each of written) output.write(each);
        output.flush();
        closeSync(descriptor);
        process.removeListener("exit", output.flush);
        expect(readFileSync(file, "utf8")).toBe(written.join(""));
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
