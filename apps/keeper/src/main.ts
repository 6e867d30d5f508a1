import { chainDefaults } from "@dueday/core/chains";
import { privateKeyToAccount } from "viem/accounts";
import { createApi } from "./api";
import { keep } from "./keep";
import { type ExitCode, exitCode, KeeperError } from "./keeperError";
import { createNode } from "./node";
import { planTable } from "./planTable";
import { helpText, type KeeperArguments, readArguments } from "./readArguments";

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function run(): Promise<ExitCode> {
  const settings = readArguments(process.argv.slice(2), process.env.KEEPER_PRIVATE_KEY);
  if (settings === null) {
    print(helpText);
    return exitCode.DONE;
  }
  const { rpcUrl, privateKey } = settings;
  const node = rpcUrl === null ? null : createNode(rpcUrl);
  const chainId = node === null ? null : await node.chainId();
  const api = createApi(settings.apiUrl, chainId);
  const account = privateKey === null ? null : privateKeyToAccount(privateKey);
  if (settings.dryRun) {
    const { plan } = await (account === null ? api.readiness(null) : api.readinessFor(account.address));
    print(planTable(plan));
    return exitCode.DONE;
  }
  if (node === null || chainId === null || account === null)
    throw new Error("readArguments requires --rpc and the key for anything but a dry run");
  const contract = contractOn(chainId, settings);
  if (!(await node.hasCode(contract))) {
    throw new KeeperError(
      exitCode.SETTINGS,
      `there is no contract at ${contract} on chain ${chainId} (--contract, --rpc)`,
    );
  }
  print(`keeper ${account.address} on chain ${chainId}, contract ${contract}`);
  const { once, intervalMs, jitterMs, costLimits } = settings;
  return keep({
    api,
    node,
    account,
    chainId,
    contract,
    once,
    intervalMs,
    jitterMs,
    costLimits,
    print,
    sleep: Bun.sleep,
  });
}

function contractOn(chainId: number, settings: KeeperArguments) {
  const contract = settings.contract ?? chainDefaults[chainId]?.contract;
  if (contract !== undefined) return contract;
  throw new KeeperError(exitCode.SETTINGS, `--contract is missing: no contract is known for chain ${chainId}`);
}

try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof KeeperError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
