import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import { bufferedOutput } from "./bufferedOutput";

test("everything that is written arrives whole and in order, text beyond a block and beyond ASCII included", () => {
  const folder = mkdtempSync(join(tmpdir(), "dueday-output-"));
  const text = fc.tuple(fc.string({ unit: "grapheme", maxLength: 40 }), fc.integer({ min: 0, max: 3_000 }));
  try {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (parts) => {
        const file = join(folder, "lines");
        const descriptor = openSync(file, "w");
        const output = bufferedOutput(descriptor, (lines) => lines);
        const written = parts.map(([part, times]) => part.toWellFormed().repeat(times));
        for (const each of written) output.write(each);
        output.flush();
        closeSync(descriptor);
        process.removeListener("exit", output.flush);
        expect(readFileSync(file, "utf8")).toBe(written.join(""));
      }),
      { numRuns: 60 * testDepth },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Runs a script that writes to its standard output, in front of a shell command that reads it. */
function pipe(script: string, reader: string, ending = "") {
  const module = JSON.stringify(join(import.meta.dir, "bufferedOutput.ts"));
  const program = `
    const { bufferedOutput } = await import(${module});
    const output = bufferedOutput(1, (lines) => lines);
    ${script}`;
  // The last line of the shell's error output is the script's exit code.
  const command = `{ "$0" -e "$1" "$2"; echo $? >&2; } | ${reader}`;
  const { stdout, stderr } = spawnSync("sh", ["-c", command, process.execPath, program, ending], {
    encoding: "utf8",
    timeout: 30_000,
    maxBuffer: 10_000_000,
  });
  return { lines: stdout.trim().split("\n"), exitCode: Number(stderr.trim().split("\n").at(-1)) };
}

const NUMBERS = Array.from({ length: 20_000 }, (_, index) => String(index).padEnd(99, "."));
const WRITE_NUMBERS =
  'for (let index = 0; index < 20_000; index++) output.write(String(index).padEnd(99, ".") + "\\n");';

test.each([
  ["exit", "process.exit(0)", 0],
  ["an exception", 'throw new Error("end")', 1],
  [
    "a signal that ends the process",
    'process.once("SIGTERM", () => process.exit(0)); process.kill(process.pid, "SIGTERM")',
    0,
  ],
  ["the end of its work", "", 0],
])("what was written just before %s is not lost", (_, ending, code) => {
  const { lines, exitCode } = pipe(`${WRITE_NUMBERS} ${ending}`, "cat");
  expect(lines).toEqual(NUMBERS);
  expect(exitCode).toBe(code);
});

test("a slow reader gets every line in order", () => {
  const { lines } = pipe(WRITE_NUMBERS, "{ sleep 0.5; cat; }");
  expect(lines).toEqual(NUMBERS);
});

test("a reader that is gone does not stop the process", () => {
  const script = `for (let turn = 0; turn < 20; turn++) { ${WRITE_NUMBERS} await Bun.sleep(10); } process.exit(7);`;
  expect(pipe(script, "head -n 1")).toEqual({ lines: NUMBERS.slice(0, 1), exitCode: 7 });
});
