import { expect, test } from "bun:test";
import { createLineLog } from "./createLineLog";
import { createLogger } from "./createLogger";
import { BLOCK_BYTES } from "./lineBlock";
import { parseConfig } from "./parseConfig";

async function writtenAt(level: string, lines: string[]): Promise<string[]> {
  const written: string[] = [];
  const destination = { write: (text: string) => void written.push(text) };
  const log = createLineLog(createLogger(parseConfig({ LOG_LEVEL: level }), destination));
  const encoder = new TextEncoder();
  for (const line of lines) {
    const bytes = encoder.encode(`${line}\n`);
    const at = log.begin(bytes.length);
    if (at === null) continue;
    log.block.set(bytes, at);
    log.end(at + bytes.length);
  }
  await new Promise(setImmediate);
  return written;
}

test("finished lines go where the logger writes, in order and together, by the end of the turn", async () => {
  expect(await writtenAt("info", ['{"n":1}', '{"n":"ü"}'])).toEqual(['{"n":1}\n{"n":"ü"}\n']);
});

test("more lines in a turn than a block holds are all written, in order", async () => {
  const lines = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(1_000, "."));
  const written = await writtenAt("info", lines);
  expect(written.length).toBeGreaterThan((100 * 1_000) / BLOCK_BYTES);
  expect(written.join("")).toBe(`${lines.join("\n")}\n`);
});

test("finished lines are left out above level info", async () => {
  expect(await writtenAt("error", ['{"n":1}'])).toEqual([]);
});
