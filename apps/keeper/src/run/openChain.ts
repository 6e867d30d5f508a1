import { chainDefaults } from "@dueday/core/chains";
import { type Address, createClient, http } from "viem";
import { getChainId, getCode } from "viem/actions";
import type { ChainSettings, KeeperSettings } from "../config/parseSettings";
import { exitCode, KeeperError } from "../keeperError";
import { createKeeperClient, createNode } from "../node/createNode";
import type { PermitDesk } from "../permits/permitDesk";
import { createPermitNode } from "../permits/permitNode";
import { apiPermitSource } from "../permits/permitSource";
import { apiPlanSource, ownPlanSource } from "../plan/planSource";
import type { KeeperChain } from "./keeperChain";

const DEADLINE_MS = 10_000;

/** A chain whose nodes were checked, with everything that is needed to read it. */
export type OpenChain = Pick<
  KeeperChain,
  "chainId" | "contract" | "from" | "node" | "source" | "rules" | "permits" | "priceSources"
>;

/**
 * Checks the nodes of a chain and opens it.
 *
 * @throws KeeperError UNREACHABLE where no node answers; SETTINGS where a node is of another chain, no contract is known for the chain, or
 * there is no contract at its address
 */
export async function openChain(
  chain: ChainSettings,
  { api, replaceAfterMs }: Pick<KeeperSettings, "api" | "replaceAfterMs">,
  from: Address,
): Promise<OpenChain> {
  const { chainId, contract } = await checkNodes(chain);
  const { rpcUrls, maxGasPrice, minProfitWei, maxLossWei, prices } = chain;
  const client = createKeeperClient(chainId, rpcUrls);
  const source =
    api === null ? ownPlanSource({ client, chainId, contract, from }) : apiPlanSource({ ...api, chainId, from });
  const openDesk = (options: { url: string; apiKey: string }): PermitDesk => ({
    read: apiPermitSource({ ...options, chainId }),
    node: createPermitNode({ client, contract, from }),
    failed: new Set(),
  });
  return {
    chainId,
    contract,
    from,
    source,
    permits: api === null || api.apiKey === null ? null : openDesk({ ...api, apiKey: api.apiKey }),
    priceSources: prices,
    node: createNode({ client, rpcUrls, contract, from, replaceAfterMs }),
    rules: { minProfitWei, maxGasPrice, maxLossWei, gasCap: client.txGasCap },
  };
}

/** The chain of the nodes and the contract on it. Every node is asked; one that does not answer is left to the fail-over. */
async function checkNodes({ chainId: wanted, rpcUrls, contract: given }: ChainSettings) {
  const clients = rpcUrls.map((url) => createClient({ transport: http(url, { retryCount: 1, timeout: DEADLINE_MS }) }));
  const ids = await Promise.all(clients.map((client) => getChainId(client).catch(() => null)));
  const chainId = wanted ?? ids.find((id) => id !== null);
  const answering = clients[ids.findIndex((id) => id !== null)];
  if (answering === undefined || chainId === undefined || chainId === null) {
    const which = wanted === null ? "" : ` of chain ${wanted}`;
    throw new KeeperError(
      exitCode.UNREACHABLE,
      `the node${which} (rpc_urls, --rpc) can't be reached, or refuses the request`,
    );
  }
  const wrong = ids.findIndex((id) => id !== null && id !== chainId);
  if (wrong !== -1) {
    throw new KeeperError(
      exitCode.SETTINGS,
      `RPC URL ${wrong + 1} is of chain ${ids[wrong]} instead of ${chainId}: correct rpc_urls`,
    );
  }
  const contract = given ?? chainDefaults[chainId]?.contract;
  if (contract === undefined) {
    throw new KeeperError(exitCode.SETTINGS, `--contract is missing: no contract is known for chain ${chainId}`);
  }
  const code = await getCode(answering, { address: contract }).catch(() => null);
  if (code === null)
    throw new KeeperError(
      exitCode.UNREACHABLE,
      `the node of chain ${chainId} refuses the request for a contract's code`,
    );
  if (code === undefined || code === "0x") {
    const text = `there is no contract at ${contract} on chain ${chainId}: correct contract (--contract) or rpc_urls (--rpc)`;
    throw new KeeperError(exitCode.SETTINGS, text);
  }
  return { chainId, contract };
}
