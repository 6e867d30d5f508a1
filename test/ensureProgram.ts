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

const told = new Set<Program>();

/**
 * The path of a program, which is installed where root may. Null where it is not here and can't be: for `describe.if`.
 *
 * @throws Error instead of null under CI, where nothing may be left out in silence.
 */
export function ensureProgram(program: Program): string | null {
  const found = findProgram(program) ?? install(program);
  if (found !== null) return found;
  const reason = `no ${program.names.join(" or ")} on the PATH: ${program.otherwise}`;
  if (process.env.CI === "true") throw new Error(reason);
  if (!told.has(program)) console.warn(`skipped: ${program.needed}: ${reason}`);
  told.add(program);
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
  spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=120", ...args], { stdio: "ignore", env });
}
