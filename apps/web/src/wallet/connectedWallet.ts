import type { Config } from "wagmi";
import { connect, getConnection, getConnectorClient } from "wagmi/actions";

/**
 * The connected wallet; without one, this browser's only wallet, which is asked to connect. Rejects where the wallet is on another chain,
 * or has another account selected than `account` (by default any account may be selected).
 */
export async function connectedWallet(config: Config, chainId: number, account?: string) {
  const [only, ...others] = config.connectors;
  if (!getConnection(config).isConnected && only !== undefined && others.length === 0)
    await connect(config, { connector: only, chainId });
  const wallet = await getConnectorClient(config, { chainId });
  if (account !== undefined && account.toLowerCase() !== wallet.account.address.toLowerCase())
    throw new WrongAccountError(`the wallet has ${wallet.account.address} selected`);
  return wallet;
}

/** `describeFailure` knows it by its name. */
class WrongAccountError extends Error {
  override name = "WrongAccountError";
}
