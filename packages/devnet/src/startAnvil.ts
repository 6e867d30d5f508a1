import { closeSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type AnvilOptions = {
  /** Time of the genesis block in unix seconds; the current time by default. */
  timestamp?: number;
  /** Milliseconds between blocks; by default a block is mined for each transaction. */
  blockTimeMs?: number;
  /** Mine only on request. */
  noMining?: boolean;
  /** Funded accounts of the well-known test mnemonic; 10 by default. */
  accounts?: number;
  /** Gas limit of a block; 60,000,000 by default, enough for a page of several hundred payments. */
  gasLimit?: bigint;
  /** A port to listen on; a free one by default. */
  port?: number;
};

export type Anvil = { url: string; pid: number; stop(): Promise<void> };

/** Not 8453, so that a transaction signed for a devnet is invalid on Base. */
export const DEVNET_CHAIN_ID = 31337;

const START_DEADLINE_MS = 15_000;
/** Number of blocks whose state can be read: those of five minutes where a block comes every 200 ms. Each takes 0.2 to 0.3 MB of memory. */
const STATES = 1_500;

/**
 * Starts an anvil node and waits until it listens. Its output goes to a file, so that no pipe stays open. The node keeps the
 * states of the latest 1,500 blocks, in memory: by default anvil writes them to the disk, which with blocks of 200 ms takes
 * gigabytes an hour that a killed node leaves behind. A caller that may be killed should run under `bun --no-orphans`.
 * @throws Error with the end of anvil's output if it ends or does not listen within 15 s
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const logPath = join(tmpdir(), `dueday-anvil-${process.pid}-${crypto.randomUUID()}.log`);
  const log = openSync(logPath, "w");
  const child = Bun.spawn([anvilBinary(), ...argumentsOf(options)], { stdin: "ignore", stdout: log, stderr: log });
  closeSync(log);
  const stop = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  try {
    const url = await listeningUrl(logPath, () => child.exitCode);
    // Otherwise the log would grow by one line for each request.
    await silence(url);
    return { url, pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    // The log is no longer read, and a killed process could not remove it.
    rmSync(logPath, { force: true });
  }
}

function argumentsOf(options: AnvilOptions): string[] {
  const { timestamp, blockTimeMs, noMining = false, accounts = 10, gasLimit = 60_000_000n, port = 0 } = options;
  const flags = ["--port", String(port), "--chain-id", String(DEVNET_CHAIN_ID), "--accounts", String(accounts)];
  // Hard forks after Prague cap the gas of a transaction, and bulk seeding needs more. fifo keeps the order of sending.
  flags.push("--gas-limit", String(gasLimit), "--hardfork", "prague", "--order", "fifo");
  flags.push("--prune-history", String(STATES));
  if (timestamp !== undefined) flags.push("--timestamp", String(timestamp));
  if (blockTimeMs !== undefined) flags.push("--block-time", String(blockTimeMs / 1_000));
  if (noMining) flags.push("--no-mining");
  return flags;
}

/** The binary of the npm package for this platform. */
function anvilBinary(): string {
  const processor = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${processor}`;
  try {
    return join(dirname(Bun.resolveSync(`${name}/package.json`, import.meta.dir)), "bin", "anvil");
  } catch (cause) {
    throw new Error(
      `anvil is not installed for this platform: ${name} is missing; install again, with optional dependencies`,
      { cause },
    );
  }
}

async function listeningUrl(logPath: string, exitCode: () => number | null): Promise<string> {
  const deadline = performance.now() + START_DEADLINE_MS;
  for (;;) {
    const output = await Bun.file(logPath).text();
    const match = /Listening on (\S+)/.exec(output);
    if (match) return `http://${match[1]}`;
    if (exitCode() !== null) throw new Error(`anvil ended with code ${exitCode()}: ${output.slice(-500)}`);
    if (performance.now() > deadline) throw new Error(`anvil does not listen: ${output.slice(-500)}`);
    await Bun.sleep(5);
  }
}

async function silence(url: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "anvil_setLoggingEnabled", params: [false] });
  await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
}
