import { spawnSync } from "node:child_process";

/** The user that the server runs as, because PostgreSQL refuses to run as root. */
export type ServerUser = { uid: number; gid: number };

/** `nobody` if this process is root; null if the server runs as the user of this process. */
export function serverUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function idOf(option: "-u" | "-g"): number {
  const answer = spawnSync("id", [option, "nobody"], { encoding: "utf8" });
  const id = Number.parseInt(answer.stdout, 10);
  if (!Number.isInteger(id)) {
    throw new Error("the embedded PostgreSQL can't run as root and there is no user nobody: set DATABASE_URL instead");
  }
  return id;
}
