import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { median } from "./quantile";

/** A server in a separate process, so that its CPU time is not mixed with that of wrk and the database. */
export type Server = { url: string; process: Bun.Subprocess };

export type Measured = { requestsPerSecond: number; cpuMicrosecondsPerRequest: number | null };

const CLOCK_TICK_MICROSECONDS = 10_000;

/** Starts a benchmark file as a server. Its arguments: a role, an argument, and the file that it writes its URL to. */
export async function startServer(script: string, role: [string, string], folder: string): Promise<Server> {
  const output = Bun.file(join(folder, `${role[0]}.log`));
  const address = join(folder, `${role[0]}.url`);
  const process = Bun.spawn(["bun", script, ...role, address], { stdout: output, stderr: "inherit" });
  const readUrl = async () => ((await Bun.file(address).exists()) ? Bun.file(address).text() : "");
  let url = await readUrl();
  while (url === "") {
    if (process.exitCode !== null) throw new Error(`the ${role[0]} server did not start`);
    await Bun.sleep(20);
    url = await readUrl();
  }
  return { url, process };
}

export async function stopServers(servers: readonly Server[]): Promise<void> {
  for (const { process } of servers) process.kill();
  await Promise.all(servers.map(({ process }) => process.exited));
}

/** Starts a server that answers every request with the bytes of a file. */
export async function serveBare(bodyFile: string): Promise<string> {
  const body = await Bun.file(bodyFile).bytes();
  const headers = { "Content-Type": "application/json" };
  const server = Bun.serve({
    development: false,
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(body, { headers }),
  });
  return `http://127.0.0.1:${server.port}`;
}

/** Runs `wrk -t1 -c64` on a path. @throws Error when an answer was not 2xx */
export async function load({ url, process }: Server, path: string, seconds: number, lua?: string): Promise<Measured> {
  const before = await cpuMicroseconds(process.pid);
  const script = lua === undefined ? [] : ["-s", lua];
  const wrk = Bun.spawn(["wrk", "-t1", "-c64", `-d${seconds}s`, ...script, url + path], { stdout: "pipe" });
  const text = await new Response(wrk.stdout).text();
  const after = await cpuMicroseconds(process.pid);
  const requests = Number(/\b(\d+) requests in/.exec(text)?.[1]);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  if (!(requests > 0) || /Non-2xx/.test(text)) throw new Error(`wrk failed:\n${text}`);
  const cpu = before === null || after === null ? null : (after - before) / requests;
  return { requestsPerSecond: rate, cpuMicrosecondsPerRequest: cpu };
}

/** User and system time of a process, from /proc; null on a system without it. */
async function cpuMicroseconds(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MICROSECONDS;
}

/** Prints one line for a server, over all rounds. */
export function printRounds(name: string, rounds: readonly Measured[]): void {
  const rate = median(rounds.map(({ requestsPerSecond }) => requestsPerSecond));
  const cpu = rounds
    .map(({ cpuMicrosecondsPerRequest }) => cpuMicrosecondsPerRequest)
    .filter((value) => value !== null);
  const cost = cpu.length === 0 ? "not measured here" : `${median(cpu).toFixed(1)} us`;
  console.log(`  ${name.padEnd(7)} ${rate.toFixed(0).padStart(7)} requests/s   CPU time a request ${cost}`);
}
