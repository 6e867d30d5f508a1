import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@dueday/db/embedded/freePort";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startNames } from "./startNames";

/** nginx with the configuration of compose.yaml, outside of a container. */
export type RunningProxy = {
  url: string;
  /** Of its first process. */
  pid: number;
  /** Its log so far. */
  log(): Promise<string>;
  stop(): Promise<void>;
};

export type ProxyOptions = {
  /** The nginx program. */
  program: string;
  /** Where the name `api` leads: the addresses of the API processes, and the port they share. */
  addresses: readonly string[];
  port: number;
  /** Address of the proxy in front of it that it trusts. Default: one that no request comes from. */
  inFront?: string;
  /** Connections at a time of one process, those of clients and those to APIs together; 512 by default. */
  connections?: number;
  /** Processes of nginx that serve them, 1 by default. */
  processes?: number;
};

const FILES = join(import.meta.dir, "..", "..", "ops");
/** A separate address, so that no other process takes its port meanwhile (Linux answers on all of 127.0.0.0/8). */
const ADDRESS = "127.0.0.4";
const NO_PROXY = "192.0.2.1";

/**
 * Starts the proxy. What the container gives it is given here: name server, port, the APIs' port, where its logs go, and the
 * address of a proxy in front of it.
 *
 * @throws Error when the configuration in ops/ does not contain each of these exactly once, or nginx does not start
 */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { program, addresses, port, inFront = NO_PROXY } = options;
  const names = await startNames((name) => (name === "api" ? addresses : []));
  try {
    const configuration = await Bun.file(join(FILES, "nginx.conf")).text();
    const trusted = await Bun.file(join(FILES, "proxies-in-front.conf")).text();
    const configure = (listens: string, output: string) =>
      replaceEach(configuration, {
        "resolver 127.0.0.11 ": `resolver 127.0.0.1:${names.port} `,
        "listen 8080;": `listen ${listens};`,
        "api:3000;": `api:${port};`,
        "/dev/stdout ": `${output} `,
        "/dev/stderr ": `${output} `,
        "include /etc/nginx/proxies-in-front.conf;": replaceEach(trusted, { " 10.77.0.1;": ` ${inFront};` }),
      });
    const proxy = await startNginx(program, ADDRESS, configure, options);
    return {
      ...proxy,
      async stop() {
        await proxy.stop();
        await names.stop();
      },
    };
  } catch (error) {
    await names.stop();
    throw error;
  }
}

/** Starts a proxy as others run them in front of this one: it adds its client to X-Forwarded-For, and connects from its own address. */
export function startProxyInFront(program: string, address: string, target: string): Promise<RunningProxy> {
  return startNginx(
    program,
    address,
    (listens, output) => `
      server {
        listen ${listens};
        access_log ${output};
        location / {
          proxy_pass ${target};
          proxy_bind ${address};
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }
      }`,
  );
}

/** Starts nginx on a free port of the address, with the server that `configure` returns. */
async function startNginx(
  program: string,
  address: string,
  configure: (listens: string, output: string) => string,
  load: Pick<ProxyOptions, "connections" | "processes"> = {},
): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), "dueday-nginx-"));
  const cleanUps: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  };
  const output = join(folder, "output");
  try {
    const listens = `${address}:${await freePort()}`;
    await Bun.write(join(folder, "served.conf"), configure(listens, output));
    await Bun.write(join(folder, "nginx.conf"), mainOf(folder, load));
    const printed = openSync(output, "a");
    const child = Bun.spawn([program, "-p", folder, "-c", "nginx.conf"], {
      stdin: "ignore",
      stdout: printed,
      stderr: printed,
    });
    closeSync(printed);
    cleanUps.push(async () => {
      child.kill("SIGTERM");
      await child.exited;
    });
    const log = () => Bun.file(output).text();
    const url = `http://${listens}`;
    await waitUntil("nginx to listen", async () => {
      if (child.exitCode !== null) throw new Error(`nginx ended: ${await log()}`);
      const answer = await fetch(url).catch(() => null);
      return answer?.headers.get("server")?.startsWith("nginx") === true;
    });
    return { url, pid: child.pid, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function replaceEach(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((replaced, [inside, outside]) => {
    if (replaced.split(inside).length !== 2) throw new Error(`the configuration in ops/ must contain ${inside} once`);
    return replaced.replace(inside, outside);
  }, text);
}

/** The image's configuration around a server, with every file in one folder of this user. */
function mainOf(
  folder: string,
  { connections = 512, processes = 1 }: Pick<ProxyOptions, "connections" | "processes">,
): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  return `
    ${process.getuid?.() === 0 ? "user root root;" : ""}
    daemon off; pid ${join(folder, "pid")}; error_log stderr crit; worker_processes ${processes};
    events { worker_connections ${connections}; }
    http {
      types { text/html html; application/javascript js; }
      default_type application/octet-stream;
      ${temporary.join(" ")}
      include ${join(folder, "served.conf")};
    }`;
}
