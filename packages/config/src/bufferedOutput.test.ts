import { expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { bufferedOutput } from "./bufferedOutput";
import { BLOCK_BYTES } from "./lineBlock";

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
        for (const [index, each] of written.entries()) {
          const bytes = new TextEncoder().encode(each);
          // What fits comes as bytes too, in turns with text.
          if (index % 2 === 0 || bytes.length > BLOCK_BYTES) {
            output.write(each);
            continue;
          }
          const at = output.begin(bytes.length);
          output.block.set(bytes, at);
          output.end(at + bytes.length);
        }
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
