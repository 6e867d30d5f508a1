import { afterAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { configTemplate } from "./configTemplate";
import { flattenToml } from "./flattenToml";
import { helpText } from "./helpText";
import { loadSettings } from "./loadSettings";
import { parseSettings } from "./parseSettings";
import { type Flags, readFlags } from "./readFlags";
import { chainSettings, processSettings } from "./settingNames";

const KEY = `0x${"ab".repeat(32)}` as const;
const USDC = getAddress("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const folder = await mkdtemp(join(tmpdir(), "dueday-keeper-"));
afterAll(() => rm(folder, { recursive: true }));

function flagsOf(...argv: string[]): Flags {
  const flags = readFlags(argv);
  if ("faults" in flags) throw new Error(flags.faults.join());
  return flags;
}

function parse(argv: string[], { toml = "", env = {} }: { toml?: string; env?: Record<string, string> } = {}) {
  const { settings, faults } = parseSettings({
    flags: flagsOf(...argv),
    toml: flattenToml(toml),
    env: { KEEPER_PRIVATE_KEY: KEY, ...env },
  });
  return { settings, faults: faults.map(({ setting, problem }) => `${setting} ${problem}`) };
}

test("flags alone describe one chain, that of the node, with defaults for the rest", () => {
  const { settings, faults } = parse(["--rpc", "http://127.0.0.1:8545", "--once", "--api", "http://a:1/"]);
  expect(faults).toEqual([]);
  expect(settings).toEqual({
    api: { url: "http://a:1", apiKey: null },
    key: { kind: "environment", privateKey: KEY },
    chains: [
      {
        chainId: null,
        rpcUrls: ["http://127.0.0.1:8545"],
        contract: null,
        minProfitWei: null,
        maxGasPrice: 50_000_000_000n,
        maxLossWei: null,
        prices: new Map(),
      },
    ],
    intervalMs: 300_000,
    windowMs: 5_000,
    replaceAfterMs: 30_000,
    dryRun: false,
    once: true,
    log: null,
    metrics: { port: null, host: "127.0.0.1" },
    notify: { urls: [], gasDays: 7 },
  });
});

test("a flag wins over the environment, and that over the file", () => {
  const toml =
    'interval_seconds = 10\nwindow_seconds = 1.5\napi = "http://file"\n[chains.8453]\nrpc_urls = ["http://file", "http://second"]\n';
  const env = { KEEPER_API: "http://environment", KEEPER_INTERVAL_SECONDS: "20" };
  const { settings, faults } = parse(["--interval", "30"], { toml, env });
  expect(faults).toEqual([]);
  expect(settings).toMatchObject({ intervalMs: 30_000, windowMs: 1_500, api: { url: "http://environment" } });
  expect(settings.chains).toMatchObject([{ chainId: 8453, rpcUrls: ["http://file", "http://second"] }]);
});

test("several chains stand in one file; --chain picks one, and its flags belong to that", () => {
  const toml =
    '[chains.8453]\nrpc_urls = ["http://a"]\nmin_profit_eth = "0.001"\n[chains.8453.prices]\n"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" = "7"\n[chains.84532]\nrpc_urls = ["http://b"]\n';
  expect(parse([], { toml }).settings.chains).toMatchObject([
    { chainId: 8453, minProfitWei: 10n ** 15n, prices: new Map([[USDC, { kind: "fixed", wei: 7n }]]) },
    { chainId: 84_532, minProfitWei: null },
  ]);
  const picked = parse(["--chain", "84532", "--max-gas-price", "0.05"], { toml });
  expect(picked.faults).toEqual([]);
  expect(picked.settings.chains).toMatchObject([{ chainId: 84_532, maxGasPrice: 50_000_000n }]);
  expect(parse(["--max-gas-price", "1"], { toml }).faults).toEqual([expect.stringContaining("--chain must name")]);
});

test("a chain can come from the environment alone, as in a container", () => {
  const env = { KEEPER_CHAIN_8453_RPC_URLS: "http://a,http://b", KEEPER_CHAIN_8453_PRICES: `${USDC}:12` };
  expect(parse([], { env }).settings.chains).toMatchObject([
    { chainId: 8453, rpcUrls: ["http://a", "http://b"], prices: new Map([[USDC, { kind: "fixed", wei: 12n }]]) },
  ]);
});

test("every fault is reported at once, under the name it was given with, and no value is repeated", () => {
  const toml = `api_key = "a-secret-api-key"\nintervall_seconds = 3\n[chains.1]\nrpc_urls = ["not-a-url-secret"]\nmin_profit_eth = 1e-7\nmax_gas_price_gwei = "-1"\nmax_loss_eth_per_day = "much"\n[chains.1.prices]\n"0x12" = "1"\n`;
  const { faults } = parse(["--replace-after", "0", "--log", "xml"], {
    toml,
    env: { KEEPER_METRICS_PORT: "99999", KEEPER_KEY_FILE: "/a/secret/path" },
  });
  const expected = [
    "intervall_seconds is not a setting: did you mean interval_seconds?",
    "chains.1.rpc_urls must be a list",
    "chains.1.contract is missing",
    "chains.1.min_profit_eth must be a number of ether",
    "--log must be one of",
    "chains.1.max_gas_price_gwei must be a number of gwei",
    "--replace-after must be 1 to 3600 seconds",
    "chains.1.max_loss_eth_per_day must be a number of ether",
    "KEEPER_METRICS_PORT must be a whole number",
    'chains.1.prices."0x12" the name of a price must be a token',
    "key must come from one of",
  ];
  for (const each of expected) expect(faults).toContainEqual(expect.stringContaining(each));
  expect(faults.length).toBe(expected.length);
  expect(faults.join("\n")).not.toMatch(/secret|99999|xml/);
});

test("a least profit without prices is a fault of the place that has it", () => {
  const toml = '[chains.8453]\nrpc_urls = ["http://a"]\nmin_profit_eth = "0.1"\n';
  expect(parse([], { toml }).faults).toEqual(["chains.8453.min_profit_eth needs a price for each fee token"]);
});

test("empty variables of a chain are unset, and spaces around a price of the environment are ignored", () => {
  const empty = { KEEPER_CHAIN_8453_RPC_URLS: "", KEEPER_CHAIN_8453_PRICES: "" };
  const { settings, faults } = parse(["--rpc", "http://a"], { env: empty });
  expect([settings.chains.map(({ chainId }) => chainId), faults]).toEqual([[null], []]);
  const spaced = { KEEPER_CHAIN_8453_RPC_URLS: "http://a", KEEPER_CHAIN_8453_PRICES: ` ${USDC}:12 , ` };
  expect(parse([], { env: spaced })).toMatchObject({
    faults: [],
    settings: { chains: [{ prices: new Map([[USDC, { kind: "fixed", wei: 12n }]]) }] },
  });
});

test("a least profit without prices, and an API together with --direct, are faults", () => {
  const rpc = ["--rpc", "http://a"];
  expect(parse([...rpc, "--min-profit", "0.1"]).faults).toEqual(["--min-profit needs a price for each fee token"]);
  expect(parse([...rpc, "--min-profit", "0.1", "--price", `${USDC}:1`]).faults).toEqual([]);
  expect(parse([...rpc, "--price", "USDC"]).faults).toEqual([expect.stringContaining("--price must be TOKEN:WEI")]);
  expect(parse([...rpc, "--direct", "--api", "http://a"]).faults).toEqual([
    expect.stringContaining("--direct must not"),
  ]);
  expect(parse([...rpc, "--direct"]).settings.api).toBeNull();
});

test("a Telegram URL that names no chat is a fault, and is not repeated", () => {
  const env = { NOTIFY_URLS: "https://example.org/hook,https://api.telegram.org/bot12345:token/sendMessage" };
  const { faults } = parse(["--rpc", "http://a"], { env });
  expect(faults).toEqual([expect.stringMatching(/^NOTIFY_URLS URL 2 must have the form .*chat_id=<id>/)]);
  expect(faults.join()).not.toContain("12345");
});

test("a dry run needs neither key nor node; anything else needs both", () => {
  const bare = (...argv: string[]) =>
    parseSettings({ flags: flagsOf(...argv), toml: flattenToml(""), env: {} }).faults.map(({ setting }) => setting);
  expect(bare("--dry-run")).toEqual([]);
  expect(bare("--dry-run", "--direct")).toEqual(["--rpc"]);
  expect(parse(["--dry-run"], { env: { KEEPER_DIRECT: "false" } }).faults).toEqual([]);
  expect(bare().toSorted()).toEqual(["--rpc", "key"]);
});

test.each([
  ["an unknown flag", ["--frobnicate"]],
  ["an unknown command", ["config", "show"]],
  ["a private key", [KEY]],
  ["a private key in a flag, without 0x", [`--key-file=${KEY.slice(2)}`]],
])("%s on the command line is refused, without repeating a key", (_, argv) => {
  const flags = readFlags(argv);
  expect(flags).toMatchObject({ faults: [expect.any(String)] });
  expect(JSON.stringify(flags)).not.toContain("abab");
});

test.each([
  [
    "a feed",
    `{ feed = "0x${"11".repeat(20)}", eth_feed = "0x${"22".repeat(20)}" }`,
    { kind: "feed", maxAgeSeconds: 90_000 },
  ],
  [
    "a URL",
    '{ url = "https://a/b", min_wei = "1", max_wei = "9" }',
    { kind: "url", field: "wei", minWei: 1n, maxWei: 9n },
  ],
  ["wei", '{ wei = "5" }', { kind: "fixed", wei: 5n }],
])("a price can be %s", (_, entry, expected) => {
  const toml = `[chains.8453]\nrpc_urls = ["http://a"]\n[chains.8453.prices]\n"${USDC}" = ${entry}\n`;
  const { settings, faults } = parse([], { toml });
  expect(faults).toEqual([]);
  expect(settings.chains[0]?.prices.get(USDC)).toMatchObject(expected);
});

test.each([
  ["a number", "400000000000000"],
  ["a URL without bounds", '{ url = "https://a/b" }'],
  ["a feed with a misspelled bound", `{ feed = "0x${"11".repeat(20)}", max_age = 5 }`],
  ["bounds in the wrong order", '{ url = "https://a/b", min_wei = "9", max_wei = "1" }'],
  ["a URL that can't be parsed", '{ url = "https://[a-secret", min_wei = "1", max_wei = "9" }'],
])("a price that is %s is refused", (_, entry) => {
  const toml = `[chains.8453]\nrpc_urls = ["http://a"]\n[chains.8453.prices]\n"${USDC}" = ${entry}\n`;
  expect(parse([], { toml }).faults).toEqual([expect.stringContaining(`chains.8453.prices."${USDC}"`)]);
});

describe("keeper.toml", () => {
  test("the written one has every setting, and no fault once a key is given", () => {
    for (const { path } of processSettings) expect(configTemplate).toContain(path.split(".").at(-1) ?? "");
    for (const { path } of chainSettings) expect(configTemplate).toContain(path);
    const { faults, settings } = parseSettings({ flags: flagsOf(), toml: flattenToml(configTemplate), env: {} });
    expect(faults).toEqual([]);
    expect(settings).toMatchObject({ chains: [{ chainId: 8453 }], key: { kind: "keystore" } });
  });

  test("with every commented line in force it still parses, but for the choices that exclude each other", () => {
    const all = configTemplate.replace(/^# (?=[a-z_]+ = |"0x)/gm, "").replaceAll('"0x..."', `"0x${"33".repeat(20)}"`);
    const toml = all.replace(/^"0x3+" = \{ feed.*$/m, "").replaceAll("https://...", "https://a");
    const { faults } = parseSettings({ flags: flagsOf(), toml: flattenToml(toml), env: {} });
    expect(faults.map(({ setting }) => setting).toSorted()).toEqual(["direct", "key"]);
  });

  test("one that is not TOML is refused, and none of its text is repeated", () => {
    const { faults } = parse(["--rpc", "http://a"], { toml: "api_key = a-secret-without-quotes\n" });
    expect(faults).toEqual([expect.stringContaining("keeper.toml is not valid TOML")]);
    expect(faults.join()).not.toContain("a-secret");
  });
});

test("the help lists every flag", () => {
  for (const { flag } of [...processSettings, ...chainSettings]) {
    if (flag !== undefined) expect(helpText).toContain(`--${flag} `);
  }
});

test("the health of a keeper is asked without opening its key", async () => {
  const flags = flagsOf("health", "--key-file", join(folder, "no-key"), "--rpc", "http://node", "--metrics-port", "1");
  expect(await loadSettings(flags, {})).toMatchObject({ account: null, settings: { metrics: { port: 1 } } });
});

test("loading reports faults of settings, file and key together, and knows every secret", async () => {
  const keyFile = join(folder, "key");
  await Bun.write(keyFile, `${KEY}\n`);
  await chmod(keyFile, 0o644);
  const wrong = flagsOf(
    "--key-file",
    keyFile,
    "--interval",
    "0",
    "--rpc",
    "http://node/a-long-secret",
    "--config",
    join(folder, "none"),
  );
  const error: unknown = await loadSettings(wrong, {}).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ exitCode: 1 });
  expect(String(error)).toMatch(/--config.*--interval.*key\.file.*chmod 600/s);
  await chmod(keyFile, 0o600);
  const loaded = await loadSettings(flagsOf("--key-file", keyFile, "--rpc", "http://node/a-long-secret"), {
    KEEPER_API_KEY: "dueday_api_key",
    NOTIFY_URLS: "https://api.telegram.org/bot12345:token/sendMessage?chat_id=1",
  });
  expect(loaded.account?.address).toBe(privateKeyToAccount(KEY).address);
  for (const secret of [KEY.slice(2), "dueday_api_key", "a-long-secret", "bot12345:token"])
    expect(loaded.secrets).toContain(secret);
});
