import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@dueday/test-support/waitUntil";

/** A program of this repository, running in another process. */
export type TestProcess = {
  pid: number;
  /** Its output so far, errors included. */
  output(): Promise<string>;
  /** Waits until it has printed something that matches. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  hasExited(): boolean;
  /** Its exit code; null when a signal ended it. */
  exited(): Promise<number | null>;
  /** Kills it if it still runs, and removes its output. */
  dispose(): Promise<void>;
};

const ROOT = join(import.meta.dir, "..", "..");
const PRINTED_WITHIN_MS = 120_000;

/**
 * Starts a program of this repository, or of a copy in `root`, as a user would, with only these settings. Its output goes to a file: a pipe
 * would outlive it in its children.
 */
export async function startProcess(
  program: string,
  options: { args?: string[]; env?: Record<string, string>; preload?: string; root?: string } = {},
): Promise<TestProcess> {
  const folder = await mkdtemp(join(tmpdir(), "dueday-e2e-"));
  const path = join(folder, "output");
  const file = openSync(path, "w");
  const preload = options.preload === undefined ? [] : ["--preload", join(ROOT, options.preload)];
  const command = [
    process.execPath,
    "--no-orphans",
    ...preload,
    join(options.root ?? ROOT, program),
    ...(options.args ?? []),
  ];
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...options.env },
    stdin: "ignore",
    stdout: file,
    stderr: file,
  });
  closeSync(file);
  const output = () => Bun.file(path).text();
  return {
    pid: child.pid,
    output,
    async printed(pattern) {
      let match: RegExpExecArray | null = null;
      const appears = async () => {
        match = pattern.exec(await output());
        return match !== null || child.exitCode !== null;
      };
      await waitUntil(`${program} to print ${pattern}`, appears, PRINTED_WITHIN_MS);
      if (match === null) throw new Error(`${program} ended with ${child.exitCode}: ${await output()}`);
      return match;
    },
    kill: (signal) => child.kill(signal),
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    async exited() {
      await child.exited;
      return child.exitCode;
    },
    async dispose() {
      child.kill("SIGKILL");
      await child.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
