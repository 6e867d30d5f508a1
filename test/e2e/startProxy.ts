import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@dueday/db/embedded/freePort";
import { waitUntil } from "../waitUntil";
import { startNames } from "./startNames";

/** nginx with the configuration of compose.yaml, outside of a container. */
export type RunningProxy = { url: string; stop(): Promise<void> };

export type ProxyOptions = {
  /** The nginx program. */
  program: string;
  /** Where the name `api` leads: the addresses of the API processes, and the port they share. */
  addresses: readonly string[];
  port: number;
};

const CONFIGURATION = join(import.meta.dir, "..", "..", "ops", "nginx.conf");

/**
 * Starts the proxy. What the containers' network gives it, is given here: the name server, the port it listens on, the APIs' port.
 *
 * @throws Error when ops/nginx.conf does not say one of these exactly once, or nginx does not start
 */
export async function startProxy({ program, addresses, port }: ProxyOptions): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), "dueday-nginx-"));
  const names = await startNames({ api: addresses });
  const ownPort = await freePort();
  let served = await Bun.file(CONFIGURATION).text();
  for (const [inside, outside] of [
    ["resolver 127.0.0.11 ", `resolver 127.0.0.1:${names.port} `],
    ["listen 8080;", `listen 127.0.0.1:${ownPort};`],
    ["api:3000;", `api:${port};`],
  ] as const) {
    if (served.split(inside).length !== 2) throw new Error(`ops/nginx.conf must say ${inside} once`);
    served = served.replace(inside, outside);
  }
  await Bun.write(join(folder, "served.conf"), served);
  await Bun.write(join(folder, "nginx.conf"), main(folder));
  const log = openSync(join(folder, "output"), "w");
  const child = Bun.spawn([program, "-p", folder, "-c", "nginx.conf"], { stdin: "ignore", stdout: log, stderr: log });
  closeSync(log);
  const url = `http://127.0.0.1:${ownPort}`;
  const stop = async () => {
    child.kill("SIGTERM");
    await child.exited;
    await names.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntil("nginx to listen", async () => {
      if (child.exitCode !== null) throw new Error(await Bun.file(join(folder, "output")).text());
      return fetch(url).then(
        () => true,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** What the image's own configuration says around a server, with every file in one folder, which is this user's. */
function main(folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  return `
    ${process.getuid?.() === 0 ? "user root root;" : ""}
    daemon off; pid ${join(folder, "pid")}; error_log stderr warn; worker_processes 1;
    events {}
    http { access_log off; ${temporary.join(" ")} include ${join(folder, "served.conf")}; }`;
}
