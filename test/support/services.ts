import { afterAll } from "bun:test";
import { ensureProgram, programs } from "./ensureProgram";
import { startRedis } from "./startRedis";

/**
 * Redis for one test file, as a URL or the path of a socket: TEST_REDIS_URL, or a server of its own. Null where
 * there is none and none can be installed; use it with `describe.if(redis !== null)`. Keys need a prefix of the file's own, since
 * a given server is shared.
 *
 * @throws Error instead of null under CI, where nothing may be left out in silence.
 */
export async function testRedis(): Promise<string | null> {
  const given = process.env.TEST_REDIS_URL;
  if (given !== undefined && given !== "") return given;
  if (!ensureRedisServer()) return null;
  const server = await startRedis();
  afterAll(() => server.stop());
  return server.path;
}

/** Whether a Redis server program is here, or could be installed: tests that stop or freeze Redis need their own. */
export function ensureRedisServer(): boolean {
  return ensureProgram(programs.redis) !== null;
}
