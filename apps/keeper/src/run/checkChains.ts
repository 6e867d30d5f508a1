import { PLAN_CALLER } from "@dueday/core/chains";
import type { LoadedSettings } from "../config/loadSettings";
import { type ExitCode, exitCode, KeeperError } from "../keeperError";
import { readPrices } from "../prices/readPrices";
import { openChain } from "./openChain";

/** `keeper config check`, after settings and key were read: asks the nodes, the source of plans and the prices. @throws KeeperError with every fault */
export async function checkChains(
  { settings, account }: LoadedSettings,
  print: (text: string) => void,
): Promise<ExitCode> {
  const from = account?.address ?? PLAN_CALLER;
  const faults = await Promise.all(
    settings.chains.map(async (chain): Promise<string[]> => {
      const name = chain.chainId === null ? "" : `chain ${chain.chainId}: `;
      try {
        const { chainId, node, source } = await openChain(chain, settings, from);
        const [head] = await Promise.all([node.head(), source.read(null)]);
        const tokens = [...chain.prices.keys()];
        const { faults } = await readPrices(chain.prices, { chain: node, tokens, chainTime: head.timestamp });
        print(`chain ${chainId}: block ${head.number}, plan and ${tokens.length - faults.length} prices answer`);
        return faults.map(({ token, problem }) => `${name}price of ${token}: ${problem}`);
      } catch (error) {
        if (!(error instanceof KeeperError)) throw error;
        return [`${name}${error.message}`];
      }
    }),
  );
  const all = faults.flat();
  if (all.length > 0) throw new KeeperError(exitCode.SETTINGS, all.join("\n"));
  print(account === null ? "the settings are valid" : `the settings are valid; the keeper's address is ${from}`);
  return exitCode.DONE;
}
