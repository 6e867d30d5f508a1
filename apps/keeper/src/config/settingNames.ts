/** Where a setting can be given: its path in keeper.toml, its flag, and its environment variable. Flags win, then the environment. */
export type SettingName = { path: string; flag?: string; env: string; isSwitch?: true };

/** Settings of the whole process. */
export const processSettings: readonly SettingName[] = [
  { path: "api", flag: "api", env: "KEEPER_API" },
  { path: "api_key", env: "KEEPER_API_KEY" },
  { path: "direct", flag: "direct", env: "KEEPER_DIRECT", isSwitch: true },
  { path: "interval_seconds", flag: "interval", env: "KEEPER_INTERVAL_SECONDS" },
  { path: "window_seconds", flag: "jitter", env: "KEEPER_WINDOW_SECONDS" },
  { path: "replace_after_seconds", flag: "replace-after", env: "KEEPER_REPLACE_AFTER_SECONDS" },
  { path: "log", flag: "log", env: "KEEPER_LOG" },
  { path: "key.file", flag: "key-file", env: "KEEPER_KEY_FILE" },
  { path: "key.keystore", flag: "keystore", env: "KEEPER_KEYSTORE" },
  { path: "key.password_file", flag: "password-file", env: "KEEPER_PASSWORD_FILE" },
  { path: "metrics.port", flag: "metrics-port", env: "KEEPER_METRICS_PORT" },
  { path: "metrics.host", env: "KEEPER_METRICS_HOST" },
  { path: "notify.urls", env: "NOTIFY_URLS" },
  { path: "notify.gas_days", env: "KEEPER_NOTIFY_GAS_DAYS" },
];

/** Settings of one chain: their paths follow `chains.<id>.`, their environment variables `KEEPER_CHAIN_<id>_`. */
export const chainSettings: readonly SettingName[] = [
  { path: "rpc_urls", flag: "rpc", env: "RPC_URLS" },
  { path: "contract", flag: "contract", env: "CONTRACT" },
  { path: "min_profit_eth", flag: "min-profit", env: "MIN_PROFIT_ETH" },
  { path: "max_gas_price_gwei", flag: "max-gas-price", env: "MAX_GAS_PRICE_GWEI" },
  { path: "max_loss_eth_per_day", flag: "max-loss", env: "MAX_LOSS_ETH_PER_DAY" },
];

/** Stands for the chain id where flags alone describe a chain: the id is then that of the node. */
export const NODES_CHAIN = "node";

export function chainPath(chain: string, path: string): string {
  return `chains.${chain}.${path}`;
}
