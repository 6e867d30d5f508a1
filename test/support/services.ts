import { afterAll } from "bun:test";
import { ensureProgram, programs } from "./ensureProgram";
import { startRedis } from "./startRedis";

/**
 * Redis for one test file, as a URL or the path of a socket: TEST_REDIS_URL, or a server that this file starts. Null where
 * there is none and none can be installed; use it with `describe.if(redis !== null)`. Keys need a prefix of the file's own, since
 * a given server is shared.
 *
 * @throws Error instead of null under CI, where no test may be skipped.
 */
export async function testRedis(): Promise<string | null> {
  const given = process.env.TEST_REDIS_URL;
  if (given !== undefined && given !== "") return given;
  if (!ensureRedisServer()) return null;
  const server = await startRedis();
  afterAll(() => server.stop());
  return server.path;
}

/** Whether a Redis server program is installed, now or before: tests that stop or freeze Redis start their own server. */
export function ensureRedisServer(): boolean {
  return ensureProgram(programs.redis) !== null;
}
