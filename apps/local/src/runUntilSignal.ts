import { type CleanUp, createCleanUp } from "./createCleanUp";

/**
 * Runs a program of this package: `start` puts it together, then it lives until Ctrl-C or SIGTERM and takes everything down
 * again. What keeps it from starting is one message and exit code 1.
 */
export async function runUntilSignal(start: (cleanUp: CleanUp, onFatal: (error: Error) => void) => Promise<void>) {
  const cleanUp = createCleanUp();
  const ending = Promise.withResolvers<Error | null>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ending.resolve(null));
  const started = start(cleanUp, ending.resolve);
  const failure = await Promise.race([started.then(() => ending.promise), ending.promise]).catch(asError);
  if (failure !== null) process.stderr.write(`${messageOf(failure)}\n`);
  // A signal may come while it is still starting: what was begun has to be known before it can be ended.
  await started.catch(() => {});
  const incomplete = await cleanUp.run().then(() => null, asError);
  if (incomplete !== null) process.stderr.write(`could not end cleanly: ${messageOf(incomplete)}\n`);
  process.exit(failure === null && incomplete === null ? 0 : 1);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error("unknown failure", { cause: error });
}

/** Most errors speak for themselves; a bug needs its place. */
function messageOf(error: Error): string {
  return error instanceof TypeError ? (error.stack ?? error.message) : error.message;
}
