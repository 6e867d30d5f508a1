import type { Readable } from "node:stream";
import { type CleanUp, createCleanUp } from "./createCleanUp";

/** A supervisor that sent SIGTERM kills the process after 10 s. */
const END_WITHIN_MS = 9_500;

/**
 * Runs a program: `start` starts its parts. The program runs until Ctrl-C, SIGTERM or a fatal error, then ends
 * all parts within 9.5 s. A failure is printed as one message, and the exit code is 1.
 *
 * @param input a stream whose end ends the program too: a pipe, which the system closes when the parent is killed
 */
export async function runUntilSignal(
  start: (cleanUp: CleanUp, onFatal: (error: Error) => void) => Promise<void>,
  input?: Readable,
): Promise<never> {
  const cleanUp = createCleanUp();
  const ending = Promise.withResolvers<Error | null>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ending.resolve(null));
  input?.resume().once("end", () => ending.resolve(null));
  const started = start(cleanUp, ending.resolve);
  const failure = await Promise.race([started.then(() => ending.promise), ending.promise]).catch(asError);
  if (failure !== null) process.stderr.write(`${messageOf(failure)}\n`);
  setTimeout(() => {
    process.stderr.write(`could not end cleanly within ${END_WITHIN_MS / 1000} s\n`);
    process.exit(1);
  }, END_WITHIN_MS);
  // A signal may come during the start: parts that are still starting must register their clean-up before it runs.
  await started.catch(() => {});
  const incomplete = await cleanUp.run().then(() => null, asError);
  if (incomplete !== null) process.stderr.write(`could not end cleanly: ${messageOf(incomplete)}\n`);
  process.exit(failure === null && incomplete === null ? 0 : 1);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error("unknown failure", { cause: error });
}

/** The message is enough for most errors; a bug needs its stack. */
function messageOf(error: Error): string {
  return error instanceof TypeError ? (error.stack ?? error.message) : error.message;
}
