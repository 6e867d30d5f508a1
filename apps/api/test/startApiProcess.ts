import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@dueday/db/waitFor";
import type { TestDatabase } from "@dueday/test-support/createTestDatabase";
import { TEST_CHAIN_ID } from "./startTestApi";

/** An API in a separate process, as `bun run api` starts it. */
export type ApiProcess = { url: string; readLog(): Promise<string>; stop(): Promise<void> };

const MAIN = join(import.meta.dir, "..", "src", "main.ts");
/** An API whose limits stay on Redis when the machine pauses for longer than a service waits for Redis. Its limits use a clock that is `CLOCK_RATE` times as fast. */
export const PATIENT_MAIN = join(import.meta.dir, "patientMain.ts");
export const CLOCK_RATE = 4;
const START_PATIENCE_MS = 90_000;

/** Starts one on a free port, on a chain whose node is never reached. It writes to a file, so that no pipe stays open. */
export async function startApiProcess(
  database: TestDatabase,
  env: Record<string, string>,
  main = MAIN,
): Promise<ApiProcess> {
  const folder = await mkdtemp(join(tmpdir(), "dueday-api-"));
  const logPath = join(folder, "log");
  const log = openSync(logPath, "w");
  const child = Bun.spawn([process.execPath, main], {
    stdin: "ignore",
    stdout: log,
    stderr: log,
    env: {
      PORT: "0",
      DATABASE_URL: database.url,
      CHAINS: String(TEST_CHAIN_ID),
      DEFAULT_REST_CHAIN_ID: String(TEST_CHAIN_ID),
      [`CHAIN_${TEST_CHAIN_ID}_RPC_URLS`]: "http://127.0.0.1:1",
      [`CHAIN_${TEST_CHAIN_ID}_CONTRACT`]: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
      ...env,
    },
  });
  closeSync(log);
  const readLog = () => Bun.file(logPath).text();
  const stop = async () => {
    child.kill("SIGKILL");
    await child.exited;
    await rm(folder, { recursive: true, force: true });
  };
  let url: string | undefined;
  await waitFor(async () => {
    url = /Dueday API on (\S+)/.exec(await readLog())?.[1];
    return url !== undefined || child.exitCode !== null;
  }, START_PATIENCE_MS);
  if (url !== undefined) return { url, readLog, stop };
  const end = (await readLog()).slice(-1_000);
  await stop();
  throw new Error(`the API process did not start: ${end}`);
}
