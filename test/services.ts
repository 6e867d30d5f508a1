import { afterAll } from "bun:test";
import { spawnSync } from "node:child_process";
import { redisBinary, startRedis } from "./startRedis";

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

let told = false;

/** Whether a Redis server program is here, or could be installed: tests that stop or freeze Redis need their own. */
export function ensureRedisServer(): boolean {
  if (redisBinary() !== null) return true;
  if (process.getuid?.() === 0 && Bun.which("apt-get") !== null) {
    console.warn("installing redis-server with apt-get");
    aptGet("update");
    aptGet("install", "-y", "--no-install-recommends", "redis-server");
    if (redisBinary() !== null) return true;
  }
  const reason = "no redis-server or valkey-server on the PATH: put one there, or set TEST_REDIS_URL";
  if (process.env.CI === "true") throw new Error(reason);
  if (!told) console.warn(`skipped: every test that needs Redis: ${reason}`);
  told = true;
  return false;
}

/** A new machine has no package lists yet; another test process may be installing at the same time. */
function aptGet(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=120", ...args], { stdio: "ignore", env });
}
