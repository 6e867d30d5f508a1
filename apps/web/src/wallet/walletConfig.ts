import { http } from "viem";
import { type Config, createConfig, injected, unstable_connector } from "wagmi";
import { reconnect, watchConnection } from "wagmi/actions";
import type { AppChain, AppConfig } from "../config/appConfig";
import { oldWalletAnnounced } from "./browserWallets";
import { toChain } from "./toChain";
import { noteConnection } from "./wasConnected";

/** One configuration, and so one connection, for all parts of the page that use a wallet. */
const configs = new WeakMap<AppConfig, Config>();

/** The wallets of this browser (`browserWallets.ts`) on the chains of this installation. A wallet that was connected before is connected again. */
export function walletConfig(app: AppConfig): Config {
  const known = configs.get(app);
  if (known !== undefined) return known;
  const [first, ...others] = app.chains.map(toChain);
  if (first === undefined) throw new Error("this installation serves no chain");
  const config = createConfig({
    chains: [first, ...others],
    multiInjectedProviderDiscovery: true,
    transports: Object.fromEntries(app.chains.map((chain) => [chain.chainId, toTransport(chain)])),
  });
  configs.set(app, config);
  // Never ended: the configuration lasts as long as the page.
  watchConnection(config, { onChange: ({ isConnected }) => isConnected && noteConnection() });
  void reconnect(config);
  // The wallet at `window.ethereum` may be announced only after this attempt.
  void oldWalletAnnounced.then(async (isAnnounced) => {
    if (isAnnounced) await reconnect(config);
  });
  return config;
}

/** The operator's public node; without one the node of the wallet. */
function toTransport({ publicRpcUrl }: AppChain) {
  return publicRpcUrl === null ? unstable_connector(injected) : http(publicRpcUrl);
}
