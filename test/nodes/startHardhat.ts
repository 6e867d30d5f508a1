import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClientOver } from "@dueday/devnet/client";
import type { StartReplayNode } from "@dueday/devnet/replay/setUp";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { custom, type EIP1193Parameters, http } from "viem";

/** Hardhat's names of what the devnet asks of anvil. */
const METHODS: Readonly<Record<string, string>> = {
  anvil_mine: "hardhat_mine",
  anvil_setBalance: "hardhat_setBalance",
  anvil_setCode: "hardhat_setCode",
  anvil_setNextBlockTimestamp: "evm_setNextBlockTimestamp",
};

/** Starts Hardhat's node under this Bun and signs for every sender. */
export const startHardhat: StartReplayNode = async () => {
  const folder = mkdtempSync(join(tmpdir(), "dueday-hardhat-"));
  const log = join(folder, "log");
  const output = openSync(log, "w");
  const cli = join(dirname(Bun.resolveSync("hardhat/package.json", import.meta.dir)), "dist/src/cli.js");
  const config = join(import.meta.dir, "hardhat.config.ts");
  const child = Bun.spawn(
    [process.execPath, "--no-orphans", cli, "node", "--config", config, "--hostname", "127.0.0.1", "--port", "0"],
    {
      cwd: join(import.meta.dir, "../.."),
      // CI: no question about telemetry, and none is sent.
      env: { ...process.env, CI: "true", HARDHAT_ARTIFACTS: join(folder, "artifacts") },
      stdin: "ignore",
      stdout: output,
      stderr: output,
    },
  );
  closeSync(output);
  const stop = async () => {
    child.kill("SIGKILL");
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    let url: string | undefined;
    await waitUntil("Hardhat's node listens", async () => {
      const text = await Bun.file(log).text();
      if (child.exitCode !== null) throw new Error(`Hardhat ended with code ${child.exitCode}: ${text.slice(-500)}`);
      url = /server at (http:\S+[0-9])/.exec(text)?.[1];
      return url !== undefined;
    });
    if (url === undefined) throw new Error("Hardhat's node printed no URL");
    return { url, client: createClientOver(translating(url)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** A transport that makes the devnet's requests in the form that Hardhat knows. */
function translating(url: string) {
  const { request } = http(url, { retryCount: 0, timeout: 120_000 })({});
  const unlocked = new Set<string>();
  const call = (method: string, params: unknown) =>
    // viem types requests by the methods that it knows.
    request({ method, params } as EIP1193Parameters);

  async function unlock(params: unknown): Promise<void> {
    // The parameters of eth_sendTransaction.
    const [{ from }] = params as [{ from: string }];
    if (!unlocked.has(from)) await call("hardhat_impersonateAccount", [from]);
    unlocked.add(from);
  }

  return custom(
    {
      async request({ method, params }: { method: string; params?: unknown }) {
        if (method === "eth_sendTransaction") await unlock(params);
        return call(METHODS[method] ?? method, params);
      },
    },
    { retryCount: 0 },
  );
}
