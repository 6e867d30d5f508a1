import { expect, test } from "bun:test";
import fc from "fast-check";
import { ConfigError } from "./configError";
import { parseConfig } from "./parseConfig";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

function faultsOf(env: Record<string, string>): ConfigError {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("the settings were accepted");
}

function faultySettings(env: Record<string, string>): string[] {
  return faultsOf(env).faults.map((fault) => fault.setting);
}

test("without settings, the default chain is served on embedded parts, with the limits of the interface", () => {
  const config = parseConfig({});
  expect(config).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    databaseUrl: null,
    redisUrl: null,
    dataDir: ".data",
    logLevel: "info",
    apiEnabled: true,
    defaultRestChainId: 8453,
    historySource: "index",
    developerKeysEnabled: false,
    maxKeysPerSubject: 5,
  });
  expect(config.chains).toMatchObject([
    { chainId: 8453, name: "Base", startBlock: 32427185n, tokens: [USDC], rest: true, mcp: true },
  ]);
  expect(Object.values(config.limits.free)).toEqual([20, 3, 100, 2, 20, 500]);
  expect(Object.values(config.limits.developer)).toEqual([80, 40, 3000, 5, 100, 5000]);
});

test("without settings, no other origin is allowed, no proxy is trusted, and every Host is accepted", () => {
  expect(parseConfig({})).toMatchObject({
    corsOrigins: [],
    mcpAllowedOrigins: [],
    trustedProxies: [],
    allowedHosts: null,
  });
});

test("an empty setting counts as unset", () => {
  expect(parseConfig({ PORT: "", CHAINS: " ", ADMIN_SECRET: "" })).toEqual(parseConfig({}));
});

test("a chain without built-in defaults is served from its settings, in the order given, and becomes the default", () => {
  const config = parseConfig({
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: "http://127.0.0.1:8545, https://second.example/key",
    CHAIN_31337_CONTRACT: USDC.toLowerCase(),
    CHAIN_31337_START_BLOCK: "0",
    CHAIN_31337_TOKENS: `${USDC}`,
    CHAIN_31337_MCP: "false",
    CHAIN_31337_LOGS_RPC_URLS: "https://wide.example/key, http://127.0.0.1:9545",
  });
  expect(config.defaultRestChainId).toBe(31337);
  expect(config.chains).toEqual([
    {
      chainId: 31337,
      name: "Chain 31337",
      contract: USDC,
      rpcUrls: ["http://127.0.0.1:8545", "https://second.example/key"],
      startBlock: 0n,
      tokens: [USDC],
      rest: true,
      mcp: false,
      finalitySeconds: 0,
      maxClockAheadSeconds: null,
      txGasCap: 16_777_216n,
      subgraphUrl: null,
      wsUrl: null,
      rpcProfile: "fresh",
      backfillRpcUrls: [],
      logsRpcUrls: ["https://wide.example/key", "http://127.0.0.1:9545"],
      explorerUrl: null,
      publicRpcUrl: null,
    },
  ]);
});

test("a block may lie a day ahead of the clock on the built-in chains, and without a bound elsewhere unless one is set", () => {
  const env = { CHAINS: "8453,84532,1", CHAIN_1_RPC_URLS: "https://node.example", CHAIN_1_CONTRACT: USDC };
  const bounds = (more: Record<string, string>) =>
    parseConfig({ ...env, ...more }).chains.map(({ maxClockAheadSeconds }) => maxClockAheadSeconds);
  expect(bounds({})).toEqual([86_400, 86_400, null]);
  expect(bounds({ CHAIN_8453_MAX_CLOCK_AHEAD_SECONDS: "60", CHAIN_1_MAX_CLOCK_AHEAD_SECONDS: "5" })).toEqual([
    60, 86_400, 5,
  ]);
});

test("without tags a block is final after 30 minutes on the built-in chains, and at once elsewhere unless it is set", () => {
  const env = { CHAINS: "8453,84532,1", CHAIN_1_RPC_URLS: "https://node.example", CHAIN_1_CONTRACT: USDC };
  const seconds = (more: Record<string, string>) =>
    parseConfig({ ...env, ...more }).chains.map(({ finalitySeconds }) => finalitySeconds);
  expect(seconds({})).toEqual([1_800, 1_800, 0]);
  expect(seconds({ CHAIN_8453_FINALITY_SECONDS: "60", CHAIN_1_FINALITY_SECONDS: "900" })).toEqual([60, 1_800, 900]);
});

test("a finality in blocks is refused, and the fault names what replaces it", () => {
  const { faults } = faultsOf({ CHAIN_8453_FINALITY_BLOCKS: "600" });
  expect(faults).toEqual([
    { setting: "CHAIN_8453_FINALITY_BLOCKS", problem: expect.stringContaining("CHAIN_<id>_FINALITY_SECONDS") },
  ]);
});

test("a transaction may have 16,777,216 gas on Base and development chains, as much as a block elsewhere, unless it is set", () => {
  const env = { CHAINS: "8453,31337,10", CHAIN_31337_RPC_URLS: "https://node.example", CHAIN_31337_CONTRACT: USDC };
  const other = { CHAIN_10_RPC_URLS: "https://node.example", CHAIN_10_CONTRACT: USDC };
  const caps = (more: Record<string, string>) =>
    parseConfig({ ...env, ...other, ...more }).chains.map(({ txGasCap }) => txGasCap);
  expect(caps({})).toEqual([16_777_216n, 16_777_216n, null]);
  const set = { CHAIN_8453_TX_GAS_CAP: "20000000", CHAIN_31337_TX_GAS_CAP: "0", CHAIN_10_TX_GAS_CAP: "1000000" };
  expect(caps(set)).toEqual([20_000_000n, null, 1_000_000n]);
});

test("all faults are reported together, each with the setting and what is allowed, and no value is repeated", () => {
  const error = faultsOf({
    PORT: "70000",
    LOG_LEVEL: "loud-value",
    API_ENABLED: "yes-value",
    ADMIN_SECRET: "short-value",
    DATABASE_URL: "mysql://user:hidden-value@host/name",
    CHAINS: "8453,31337",
    CHAIN_31337_CONTRACT: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914",
    CHAIN_8453_RPC_URLS: "https://fine.example/hidden-value,ftp://host/hidden-value",
    TRUSTED_PROXIES: "10.0.0.0/33",
    LIMIT_FREE_WRITE_RPM: "0",
  });
  expect(error.faults.map((fault) => fault.setting).toSorted()).toEqual([
    "ADMIN_SECRET",
    "API_ENABLED",
    "CHAIN_31337_CONTRACT",
    "CHAIN_31337_RPC_URLS",
    "CHAIN_8453_RPC_URLS",
    "DATABASE_URL",
    "LIMIT_FREE_WRITE_RPM",
    "LOG_LEVEL",
    "PORT",
    "TRUSTED_PROXIES",
  ]);
  expect(error.message).not.toMatch(/value|70000|hidden/);
  expect(error.message).toContain("PORT: must be a whole number, 0 to 65535");
  expect(error.message).toContain("CHAIN_31337_RPC_URLS: is missing");
});

test.each([
  ["CHAIN_8453_RPC_URL", "CHAIN_8453_RPC_URLS"],
  ["LIMIT_FREE_GLOBAL", "LIMIT_FREE_GLOBAL_RPM"],
  ["CHAIN_BASE_CONTRACT", "CHAIN_8453_CONTRACT"],
  ["SCAN_INTERVAL", "SCAN_INTERVAL_MS"],
  ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
  ["TRUSTED_CLIENT", "TRUSTED_CLIENTS"],
  ["EVENTS_RETENTION", "EVENTS_RETENTION_DAYS"],
  ["MAX_KEYS_PER_OWNER", "MAX_KEYS_PER_SUBJECT"],
  ["WEBHOOKS_TO_LOCALHOST", "WEBHOOKS_TO_LOOPBACK"],
])("%s is reported as a misspelling of %s", (wrong, meant) => {
  const { faults } = faultsOf({ [wrong]: "1" });
  expect(faults).toEqual([{ setting: wrong, problem: expect.stringContaining(`did you mean ${meant}?`) }]);
});

test("settings of other programs, and of chains that are not served, are ignored", () => {
  expect(parseConfig({ PATH: "/bin", CHAIN_ID: "1", CHAIN_84532_NAME: "Sepolia", HOSTNAME: "box" })).toEqual(
    parseConfig({}),
  );
});

test("settings that contradict each other are rejected", () => {
  expect(faultySettings({ DEFAULT_REST_CHAIN_ID: "84532" })).toEqual(["DEFAULT_REST_CHAIN_ID"]);
  expect(faultySettings({ CHAIN_8453_REST: "false" })).toEqual(["CHAIN_8453_REST"]);
  expect(faultySettings({ SCAN_INTERVAL_MS: "5000", STALE_AFTER_MS: "5000" })).toEqual(["STALE_AFTER_MS"]);
  expect(faultySettings({ HISTORY_SOURCE: "subgraph" })).toEqual(["CHAIN_8453_SUBGRAPH_URL"]);
  expect(faultySettings({ CHAINS: "8453,8453" })).toEqual(["CHAINS"]);
});

test.each(["localhost", "0.0.0.0", "::", "::1", "[::1]"])("HOST can be %p", (host) => {
  expect(parseConfig({ HOST: host }).host).toBe(host);
});

test("mails need PUBLIC_URL, and one that is set but invalid is not called missing", () => {
  const mail = { SMTP_URL: "smtp://mail.example", MAIL_FROM: "reminders@dueday.example" };
  const problemsOf = (env: Record<string, string>) =>
    faultsOf({ ...mail, ...env }).faults.map(({ problem }) => problem);
  expect(problemsOf({})).toEqual([expect.stringContaining("is missing")]);
  expect(problemsOf({ PUBLIC_URL: "dueday.example" })).toEqual([expect.stringContaining("must be a URL")]);
});

test.each(["-1", "+1", "01", "1e3", "0x10", "3000.0", "٣", "1_000"])("%p is not a whole number", (text) => {
  expect(faultySettings({ PORT: text })).toEqual(["PORT"]);
});

test.each([
  ["PLAN_CALLER", `0x${"0".repeat(40)}`],
  ["CORS_ORIGINS", "https://example.org/path"],
  ["MCP_ALLOWED_ORIGINS", "example.org"],
  ["ALLOWED_HOSTS", "good.example,bad host"],
  ["PUBLIC_URL", "javascript://alert"],
  ["TRUSTED_PROXIES", "::1/129"],
  ["CHAIN_8453_RPC_URLS", "wss://node.example"],
  // What logs leave out could not be worked out from it, and the client of the database could not decode it.
  ["DATABASE_URL", "postgres://user:100%pass-word@db.example/name"],
  ["HOST", "127.0.0.1:3000"],
  ["HOST", "http://127.0.0.1"],
  ["HOST", "[127.0.0.1]"],
])("%s rejects %p", (setting, text) => {
  expect(faultySettings({ [setting]: text })).toEqual([setting]);
});

test("every environment gives a frozen Config or a ConfigError that repeats no value", () => {
  const setting = fc.constantFrom(
    "PORT",
    "CHAINS",
    "ADMIN_SECRET",
    "REDIS_URL",
    "CHAIN_8453_TOKENS",
    "TRUSTED_PROXIES",
  );
  const value = fc.string({ unit: "binary", minLength: 1 }).map((text) => `«${text}»`);
  fc.assert(
    fc.property(fc.dictionary(setting, value), (env) => {
      try {
        expect(Object.isFrozen(parseConfig(env))).toBe(true);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        expect(error.message).not.toContain("«");
      }
    }),
  );
});

test("no part of a Config can be changed", () => {
  const config = parseConfig({});
  expect(() => Object.assign(config.limits.free, { globalRpm: 1 })).toThrow(TypeError);
  expect(() => Object.assign(config.chains[0] ?? {}, { chainId: 1 })).toThrow(TypeError);
});

test("the developer portal is the app's page, where it is served and open; DEVELOPER_PORTAL_URL names another", () => {
  const urlOf = (env: Record<string, string>) => parseConfig(env).developerPortalUrl;
  const open = { PUBLIC_URL: "https://dueday.example/", ADMIN_SECRET: "an admin secret for tests" };
  expect(urlOf(open)).toBe("https://dueday.example/app/developers");
  expect(urlOf({ ...open, DEVELOPER_PORTAL_URL: "https://portal.example" })).toBe("https://portal.example");
  for (const closed of [
    { PUBLIC_URL: "" },
    { ADMIN_SECRET: "" },
    { WEB_ENABLED: "false" },
    { DEVELOPER_KEYS_ENABLED: "false" },
  ])
    expect(urlOf({ ...open, ...closed })).toBeNull();
});
