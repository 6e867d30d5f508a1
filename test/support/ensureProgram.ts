import { spawnSync } from "node:child_process";

/** A program of the system that tests start. */
export type Program = {
  /** Its possible names on the PATH. */
  names: readonly string[];
  /** The Debian package that contains it. */
  aptPackage: string;
  /** The tests that need it, and what to do where it can't be installed, for a person. */
  needed: string;
  otherwise: string;
  /** Does as well where the program is missing and can't be installed. */
  instead?: Program;
};

/** The browser as people have it. */
export const chromium: Program = {
  names: ["chromium", "chromium-browser", "google-chrome"],
  aptPackage: "chromium",
  needed: "every test in a browser",
  otherwise: "install one",
};

export const programs = {
  redis: {
    names: ["redis-server", "valkey-server"],
    aptPackage: "redis-server",
    needed: "every test that needs Redis",
    otherwise: "install one, or set TEST_REDIS_URL",
  },
  /** Without the windows: it loads a page in half of the processor time. Ubuntu does not have it. */
  browser: {
    names: ["chromium-headless-shell"],
    aptPackage: "chromium-headless-shell",
    needed: "every test in a browser",
    otherwise: "install one",
    instead: chromium,
  },
  nginx: {
    names: ["nginx"],
    aptPackage: "nginx",
    needed: "every test behind the proxy of compose.yaml",
    otherwise: "install one",
  },
  curl: {
    names: ["curl"],
    aptPackage: "curl",
    needed: "the test of the commands in docs/merchants.md",
    otherwise: "install one",
  },
  python: {
    names: ["python3"],
    aptPackage: "python3",
    needed: "the test of the example in Python",
    otherwise: "install Python",
  },
  go: {
    names: ["go"],
    aptPackage: "golang-go",
    needed: "the test of the example in Go",
    otherwise: "install Go",
  },
  promtool: {
    names: ["promtool"],
    aptPackage: "prometheus",
    needed: "the test of the alerts",
    otherwise: "install Prometheus",
  },
  systemdAnalyze: {
    names: ["systemd-analyze"],
    aptPackage: "systemd",
    needed: "the test of the systemd unit",
    otherwise: "run it on a system with systemd",
  },
} as const satisfies Record<string, Program>;

/** The path of a program on this machine, or null. */
export function findProgram({ names }: Program): string | null {
  return names.map((name) => Bun.which(name)).find((path) => path !== null) ?? null;
}

// On globalThis, because each test file may get its own modules, and an installation that failed is not tried again.
const foundByProcess: { [key: symbol]: Map<string, string | null> | undefined } = globalThis;
const KEY = Symbol.for("dueday.testPrograms");

/**
 * The path of a program. If it is missing, it is installed where this process is root on Debian or Ubuntu. Null where it is still missing:
 * for `describe.if`.
 *
 * @throws Error instead of null under CI, where no test may be skipped.
 */
export function ensureProgram(program: Program): string | null {
  foundByProcess[KEY] ??= new Map();
  const found = foundByProcess[KEY];
  const isFirst = !found.has(program.aptPackage);
  if (isFirst) found.set(program.aptPackage, findProgram(program) ?? install(program));
  const path = found.get(program.aptPackage) ?? null;
  if (path !== null) return path;
  if (program.instead !== undefined) return ensureProgram(program.instead);
  const reason = `no ${program.names.join(" or ")} on the PATH: ${program.otherwise}`;
  if (process.env.CI === "true") throw new Error(reason);
  if (isFirst) console.warn(`skipped: ${program.needed}: ${reason}`);
  return null;
}

/** With TEST_NO_INSTALL, which `test/run.ts` sets, the installation was tried before. */
function install(program: Program): string | null {
  if (process.env.TEST_NO_INSTALL || process.getuid?.() !== 0 || Bun.which("apt-get") === null) return null;
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
