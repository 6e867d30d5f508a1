import { DAY_MS } from "@dueday/core/calendar/dayNumber";
import { PLAN_CALLER } from "@dueday/core/chains";
import { readAccess } from "./access";
import { type ChainConfig, readChains } from "./chains";
import { ConfigError } from "./configError";
import { boolean, integer, list, listeningHost, nameServer, nonZeroAddress, oneOf, text, url } from "./kinds";
import { readAddressShare, readLimits } from "./limits";
import { readMail } from "./mail";
import { reportUnknownSettings } from "./reportUnknownSettings";
import { createSettingsReader, type Environment, type SettingsReader } from "./settingsReader";
import { readWebhooks } from "./webhooks";

const port = integer(0, 65_535);

/**
 * Reads all settings. Pure: the environment is passed in. An empty setting counts as unset; an unset one without a default is null.
 *
 * @throws ConfigError with all faults; it repeats no value.
 */
export function parseConfig(env: Environment): Config {
  const reader = createSettingsReader(env);
  const config = readAll(reader);
  reportUnknownSettings(env, reader);
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return deepFreeze(config);
}

/** All settings, checked and frozen. They contain secrets, which `secretsOf` lists. */
export type Config = Readonly<ReturnType<typeof readAll>>;

function readAll(reader: SettingsReader) {
  const chains = readChains(reader);
  const server = readServer(reader);
  return {
    ...server,
    ...chains,
    ...readScan(reader, chains.chains),
    ...readAccess(reader, server),
    ...readWebhooks(reader),
    /** Has `mail`; null: no reminders are sent by e-mail. */
    ...readMail(reader, server),
    limits: readLimits(reader),
    addressShare: readAddressShare(reader),
  };
}

function readServer(reader: SettingsReader) {
  return {
    port: reader.read("PORT", port, 3000),
    host: reader.read("HOST", listeningHost, "127.0.0.1"),
    /** Base URL under which clients reach the service; null: taken from each request. */
    publicUrl: reader.readOptional("PUBLIC_URL", url("http", "https")) ?? null,
    /** Null: no metrics are served. */
    metricsPort: reader.readOptional("METRICS_PORT", port) ?? null,
    /** Base URL of an OpenTelemetry collector; null: nothing is sent. */
    otlpEndpoint: reader.readOptional("OTEL_EXPORTER_OTLP_ENDPOINT", url("http", "https")) ?? null,
    /** Share of the requests and jobs that are sent to the collector as traces; 0: none. */
    tracesPercent: reader.read("TRACES_PERCENT", integer(0, 100, "percent"), 0),
    /** Null: the embedded PostgreSQL, in `dataDir`. */
    databaseUrl: reader.readOptional("DATABASE_URL", url("postgres", "postgresql")) ?? null,
    /** Null: the scheduler and the limits are kept in this process. */
    redisUrl: reader.readOptional("REDIS_URL", url("redis", "rediss", "unix")) ?? null,
    dataDir: reader.read("DATA_DIR", text, ".data"),
    logLevel: reader.read("LOG_LEVEL", oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"), "info"),
    apiEnabled: reader.read("API_ENABLED", boolean, true),
    /** Whether the web app is served at /app. */
    webEnabled: reader.read("WEB_ENABLED", boolean, true),
    /** Name servers that the domains of providers are looked up at; empty: those of the system. */
    dnsServers: reader.read("DNS_SERVERS", list(nameServer), []),
    /** Age up to which events are kept, in days. */
    eventsRetentionDays: reader.read("EVENTS_RETENTION_DAYS", integer(1, 3_650, "days"), 30),
  };
}

function readScan(reader: SettingsReader, chains: readonly ChainConfig[]) {
  const scanIntervalMs = reader.readOptional("SCAN_INTERVAL_MS", integer(100, DAY_MS, "milliseconds")) ?? null;
  // Snapshots of a frugal chain are confirmed about once a minute.
  const usualStaleMs = chains.some(({ rpcProfile }) => rpcProfile === "frugal") ? 180_000 : 60_000;
  const staleAfterMs = reader.read(
    "STALE_AFTER_MS",
    integer(100, DAY_MS, "milliseconds"),
    Math.max(usualStaleMs, 4 * (scanIntervalMs ?? 0)),
  );
  if (scanIntervalMs !== null && staleAfterMs <= scanIntervalMs) {
    reader.fault(
      "STALE_AFTER_MS",
      "must be more milliseconds than SCAN_INTERVAL_MS: otherwise every answer becomes stale before the next scan",
    );
  }
  return {
    /** Null: by the profile of each chain. */
    scanIntervalMs,
    staleAfterMs,
    planCaller: reader.read("PLAN_CALLER", nonZeroAddress, PLAN_CALLER),
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
