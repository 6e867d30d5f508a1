import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The Bun that runs the service: that of this platform's npm package, or else the one that runs this process.
 *
 * @throws Error naming the missing package
 */
export function locateBun(): string {
  const processor = process.arch === "arm64" ? "aarch64" : process.arch;
  const name = `@oven/bun-${process.platform}-${processor}`;
  const path = installedBun(name);
  if (path !== null) return path;
  if (process.versions.bun !== undefined) return process.execPath;
  throw new Error(
    `${name} is not installed: the test kit runs on Linux and macOS, x64 and arm64, and needs its optional dependencies`,
  );
}

function installedBun(name: string): string | null {
  try {
    const path = join(dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`))), "bin", "bun");
    return existsSync(path) ? path : null;
  } catch {
    // The package is not installed.
    return null;
  }
}
