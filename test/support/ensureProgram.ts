import { spawnSync } from "node:child_process";

/** A program of the system that tests run. */
export type Program = {
  /** What it can be called on the PATH. */
  names: readonly string[];
  /** The Debian package that has it. */
  aptPackage: string;
  /** Who goes without it, and what to do, for a person. */
  needed: string;
  otherwise: string;
};

export const programs = {
  redis: {
    names: ["redis-server", "valkey-server"],
    aptPackage: "redis-server",
    needed: "every test that needs Redis",
    otherwise: "put one there, or set TEST_REDIS_URL",
  },
  chromium: {
    names: ["chromium", "chromium-browser", "google-chrome"],
    aptPackage: "chromium",
    needed: "every test in a browser",
    otherwise: "put one there",
  },
  nginx: {
    names: ["nginx"],
    aptPackage: "nginx",
    needed: "every test behind the proxy of compose.yaml",
    otherwise: "put one there",
  },
} as const satisfies Record<string, Program>;

/** The path of a program on this machine, or null. */
export function findProgram({ names }: Program): string | null {
  return names.map((name) => Bun.which(name)).find((path) => path !== null) ?? null;
}

// On globalThis, because a test file may get modules of its own, and what could not be installed once can't be a second time.
const foundByProcess: { [key: symbol]: Map<string, string | null> | undefined } = globalThis;
const KEY = Symbol.for("dueday.testPrograms");

/**
 * The path of a program, which is installed where root may. Null where it is not here and can't be: for `describe.if`.
 *
 * @throws Error instead of null under CI, where nothing may be left out in silence.
 */
export function ensureProgram(program: Program): string | null {
  foundByProcess[KEY] ??= new Map();
  const found = foundByProcess[KEY];
  const isFirst = !found.has(program.aptPackage);
  if (isFirst) found.set(program.aptPackage, findProgram(program) ?? install(program));
  const path = found.get(program.aptPackage) ?? null;
  if (path !== null) return path;
  const reason = `no ${program.names.join(" or ")} on the PATH: ${program.otherwise}`;
  if (process.env.CI === "true") throw new Error(reason);
  if (isFirst) console.warn(`skipped: ${program.needed}: ${reason}`);
  return null;
}

function install(program: Program): string | null {
  if (process.getuid?.() !== 0 || Bun.which("apt-get") === null) return null;
  console.warn(`installing ${program.aptPackage} with apt-get`);
  aptGet("update");
  aptGet("install", "-y", "--no-install-recommends", program.aptPackage);
  return findProgram(program);
}

/** A new machine has no package lists yet; another test process may be installing at the same time. */
function aptGet(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr } = spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=120", ...args], {
    env,
    encoding: "utf8",
  });
  if (status !== 0) console.warn(`apt-get ${args.join(" ")} failed: ${(stderr ?? "").trim().split("\n").at(-1)}`);
}
