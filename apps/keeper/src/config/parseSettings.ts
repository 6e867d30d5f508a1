import { address, integer, list, oneOf, text, url } from "@dueday/config/kinds";
import { createSettingsReader, type SettingsReader } from "@dueday/config/settingsReader";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { chainDefaults } from "@dueday/core/chains";
import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
import type { Address } from "viem";
import type { KeySource } from "../key/keySource";
import { type PriceSource, parsePrice } from "../prices/priceSource";
import { notificationUrlFault } from "../report/notificationForm";
import type { FlatToml } from "./flattenToml";
import { type Flags, flagNames } from "./readFlags";
import { decimal, seconds } from "./settingKinds";
import { chainPath, chainSettings, NODES_CHAIN, processSettings } from "./settingNames";

export type ChainSettings = {
  /** Null: the chain of the node. */
  chainId: number | null;
  /** In fail-over order. Empty only for a dry run that asks the API. */
  rpcUrls: readonly string[];
  /** Null: the known contract of the chain (core/chains). */
  contract: Address | null;
  /** The least that the sent transactions have to earn in all, net, wei. Null: settle at any loss within `maxGasPrice` and `maxLossWei`. */
  minProfitWei: bigint | null;
  /** Highest price that is signed, wei per gas. */
  maxGasPrice: bigint;
  /** Most that may be lost in 24 hours, wei. Null: what five transactions cost. */
  maxLossWei: bigint | null;
  prices: ReadonlyMap<Address, PriceSource>;
};

export type KeeperSettings = {
  /** Null: plans come from the keeper's own node. */
  api: { url: string; apiKey: string | null } | null;
  /** Null only for a dry run. */
  key: KeySource | null;
  chains: readonly ChainSettings[];
  intervalMs: number;
  windowMs: number;
  replaceAfterMs: number;
  dryRun: boolean;
  once: boolean;
  /** Null: pretty on a terminal, else JSON. */
  log: "json" | "pretty" | null;
  metrics: { port: number | null; host: string };
  notify: { urls: readonly string[]; gasDays: number };
};

export type SettingFault = { setting: string; problem: string };

type Sources = { flags: Flags; toml: FlatToml; env: Readonly<Record<string, string | undefined>> };

const CHAIN_IN_ENV =
  /^KEEPER_CHAIN_([0-9]+)_(?:RPC_URLS|CONTRACT|MIN_PROFIT_ETH|MAX_GAS_PRICE_GWEI|MAX_LOSS_ETH_PER_DAY|PRICES)$/;
const CHAIN_ID = /^[1-9][0-9]{0,15}$/;
/** High enough for a busy day on any chain that is served, low enough that a mistake or a lying node can't cost a fortune. */
const DEFAULT_MAX_GAS_PRICE = 50_000_000_000n;

/** Reads all settings from flags, environment and file, in this order of precedence. Pure. Faults name a setting as it was given: by its flag, variable or path. */
export function parseSettings(sources: Sources): { settings: KeeperSettings; faults: SettingFault[] } {
  const { flags, toml, env } = sources;
  const chains = chainNames(sources);
  const flagChain = flags.chain ?? (chains.length === 1 ? chains[0] : undefined);
  const { values, names } = mergeValues(sources, chains, flagChain);
  const reader = createSettingsReader(values);
  const faults: SettingFault[] = [...toml.faults];
  if (flagChain === undefined && (flags.chainFlags.size > 0 || flags.prices.length > 0)) {
    faults.push({
      setting: "--chain",
      problem: `must name the chain that the flags belong to: one of ${chains.join(", ")}`,
    });
  }
  if (flags.chain !== undefined && !chains.includes(flags.chain)) {
    faults.push({ setting: "--chain", problem: "must be the id of a configured chain" });
  }
  const served = chains.filter((chain) => flags.chain === undefined || chain === flags.chain);
  const api = readApi(reader);
  const needsNode = !flags.dryRun || api === null;
  const settings: KeeperSettings = {
    api,
    key: readKeySource(reader, env.KEEPER_PRIVATE_KEY, flags.dryRun),
    chains: served.map((chain) =>
      readChain(reader, { chain, sources, isFlagged: chain === flagChain, needsNode, faults }),
    ),
    intervalMs: reader.read("interval_seconds", seconds(1, DAY_SECONDS), 300_000),
    windowMs: reader.read("window_seconds", seconds(0, 600), 5_000),
    replaceAfterMs: reader.read("replace_after_seconds", seconds(1, 3_600), 30_000),
    dryRun: flags.dryRun,
    once: flags.once,
    log: reader.readOptional("log", oneOf("json", "pretty")) ?? null,
    metrics: {
      port: reader.readOptional("metrics.port", integer(0, 65_535)) ?? null,
      host: reader.read("metrics.host", text, "127.0.0.1"),
    },
    notify: { urls: readNotifyUrls(reader), gasDays: reader.read("notify.gas_days", integer(1, 365, "days"), 7) },
  };
  faults.push(...reader.faults.map(({ setting, problem }) => ({ setting: names.get(setting) ?? setting, problem })));
  return { settings, faults };
}

/** The chains of the file and of the environment, where an empty variable counts as unset; without any, the one that the flags describe. */
function chainNames({ toml, env }: Sources): readonly string[] {
  const inEnvironment = Object.keys(env).flatMap((name) => (env[name] && CHAIN_IN_ENV.exec(name)?.[1]) || []);
  const names = [...new Set([...toml.chains, ...inEnvironment])];
  return names.length === 0 ? [NODES_CHAIN] : names;
}

/** Values by path, each with the name under which it was given. */
function mergeValues({ flags, toml, env }: Sources, chains: readonly string[], flagChain: string | undefined) {
  const values: Record<string, string | undefined> = Object.fromEntries(toml.values);
  const names = new Map<string, string>();
  const fromEnvironment = (path: string, variable: string) => {
    if ((env[variable] ?? "") === "") return;
    values[path] = env[variable];
    names.set(path, variable);
  };
  for (const { path, env: variable } of processSettings) fromEnvironment(path, variable);
  for (const chain of chains) {
    for (const each of chainSettings) fromEnvironment(chainPath(chain, each.path), `KEEPER_CHAIN_${chain}_${each.env}`);
  }
  for (const [path, value] of flags.settings) values[path] = value;
  for (const [path, value] of flags.chainFlags) values[chainPath(flagChain ?? NODES_CHAIN, path)] = value;
  for (const [path, name] of flagNames(flags, flagChain ?? NODES_CHAIN)) names.set(path, name);
  return { values, names };
}

function readApi(reader: SettingsReader): KeeperSettings["api"] {
  const direct = reader.read("direct", oneOf("true", "false"), "false") === "true";
  const api = reader.readOptional("api", url("http", "https"));
  const apiKey = reader.readOptional("api_key", text) ?? null;
  if (!direct) return { url: withoutTrailing(api ?? "http://127.0.0.1:3000", "/"), apiKey };
  if (api !== undefined) reader.fault("direct", "must not be set together with api: choose where plans come from");
  return null;
}

function readNotifyUrls(reader: SettingsReader): readonly string[] {
  const urls = reader.readOptional("notify.urls", list(url("http", "https"))) ?? [];
  for (const [index, each] of urls.entries()) {
    const problem = notificationUrlFault(each);
    if (problem !== null) reader.fault("notify.urls", `URL ${index + 1} ${problem}`);
  }
  return urls;
}

function readKeySource(reader: SettingsReader, privateKey: string | undefined, dryRun: boolean): KeySource | null {
  const file = reader.readOptional("key.file", text);
  const keystore = reader.readOptional("key.keystore", text);
  const passwordFile = reader.readOptional("key.password_file", text);
  const given = [privateKey || undefined, file, keystore].filter((each) => each !== undefined).length;
  if (given > 1) {
    reader.fault("key", "must come from one of KEEPER_PRIVATE_KEY, key.file and key.keystore, not from several");
  }
  if (keystore !== undefined && passwordFile === undefined) {
    reader.fault("key.password_file", "is missing: the file that contains the password of the keystore");
  }
  if (given === 0 && !dryRun) {
    reader.fault(
      "key",
      "is missing: set KEEPER_PRIVATE_KEY, key.file or key.keystore; it signs, pays the gas and earns the fees",
    );
  }
  if (privateKey) return { kind: "environment", privateKey };
  if (file !== undefined) return { kind: "file", path: file };
  if (keystore !== undefined && passwordFile !== undefined) return { kind: "keystore", path: keystore, passwordFile };
  return null;
}

type ChainSource = { chain: string; sources: Sources; isFlagged: boolean; needsNode: boolean; faults: SettingFault[] };

function readChain(reader: SettingsReader, source: ChainSource): ChainSettings {
  const { chain, needsNode, faults } = source;
  const at = (path: string) => chainPath(chain, path);
  if (chain !== NODES_CHAIN && !CHAIN_ID.test(chain))
    faults.push({ setting: `chains.${chain}`, problem: "must be a chain id" });
  const chainId = chain === NODES_CHAIN ? null : Number(chain);
  const rpcUrls = reader.readOptional(at("rpc_urls"), list(url("http", "https"))) ?? [];
  if (!reader.isSet(at("rpc_urls")) && needsNode) {
    const problem = "is missing: the URL of your own node, and of a second one (comma list) where you have one";
    faults.push({ setting: chainId === null ? "--rpc" : at("rpc_urls"), problem });
  }
  const contract = reader.readOptional(at("contract"), address) ?? null;
  if (chainId !== null && contract === null && !reader.isSet(at("contract")) && chainDefaults[chainId] === undefined) {
    faults.push({ setting: at("contract"), problem: `is missing: no contract is known for chain ${chainId}` });
  }
  const minProfitWei = reader.readOptional(at("min_profit_eth"), decimal("ether", 18, "0.0001")) ?? null;
  const maxGasPrice = reader.read(at("max_gas_price_gwei"), decimal("gwei", 9, "0.05"), DEFAULT_MAX_GAS_PRICE);
  const maxLossWei = reader.readOptional(at("max_loss_eth_per_day"), decimal("ether", 18, "0.001")) ?? null;
  const prices = readPrices(source);
  if (minProfitWei !== null && prices.size === 0)
    reader.fault(at("min_profit_eth"), "needs a price for each fee token");
  return { chainId, rpcUrls, contract, minProfitWei, maxGasPrice, maxLossWei, prices };
}

function readPrices({ chain, sources, isFlagged, faults }: ChainSource): Map<Address, PriceSource> {
  const { toml, env, flags } = sources;
  const prices = new Map<Address, PriceSource>();
  const add = (setting: string, token: string, entry: unknown) => {
    const parsed = parsePrice(token, entry);
    if ("problem" in parsed) faults.push({ setting, problem: parsed.problem });
    else prices.set(...parsed);
  };
  const addPairs = (setting: string, pairs: readonly string[]) => {
    for (const pair of pairs) {
      const [token = "", wei, ...rest] = pair.split(":");
      if (wei === undefined || rest.length > 0) {
        faults.push({
          setting,
          problem: "must be TOKEN:WEI, an address and a whole number, such as 0x8335...2913:400000000000000",
        });
      } else add(setting, token, wei);
    }
  };
  for (const [token, entry] of Object.entries(toml.prices.get(chain) ?? {})) {
    add(`${chainPath(chain, "prices")}."${token}"`, token, entry);
  }
  const variable = `KEEPER_CHAIN_${chain}_PRICES`;
  const listed = (env[variable] ?? "").split(",").map((each) => each.trim());
  addPairs(
    variable,
    listed.filter((each) => each !== ""),
  );
  if (isFlagged) addPairs("--price", flags.prices);
  return prices;
}
