import { expect, test } from "bun:test";
import { createLineLog } from "./createLineLog";
import { createLogger } from "./createLogger";
import { parseConfig } from "./parseConfig";

async function writtenAt(level: string, lines: string[]): Promise<string> {
  const written: string[] = [];
  const destination = { write: (text: string) => void written.push(text) };
  const writeLine = createLineLog(createLogger(parseConfig({ LOG_LEVEL: level }), destination));
  for (const line of lines) writeLine(line);
  await new Promise(setImmediate);
  return written.join("");
}

test("finished lines go where the logger writes, in order, by the end of the turn", async () => {
  expect(await writtenAt("info", ['{"n":1}', '{"n":2}'])).toBe('{"n":1}\n{"n":2}\n');
});

test("finished lines are left out above level info", async () => {
  expect(await writtenAt("error", ['{"n":1}'])).toBe("");
});
