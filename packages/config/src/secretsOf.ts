import type { Config } from "./parseConfig";

/** Path segments, credentials and query values with at least this many characters are treated as keys. */
const MIN_KEY_LENGTH = 8;

/** All values of settings that must not leave the process, and the parts of URLs that can be keys. */
export function secretsOf(config: Config): string[] {
  const urls = [
    config.databaseUrl,
    config.redisUrl,
    config.otlpEndpoint,
    config.mail?.smtpUrl ?? null,
    ...config.chains.flatMap((chain) => [
      ...chain.rpcUrls,
      ...chain.backfillRpcUrls,
      ...chain.logsRpcUrls,
      chain.wsUrl,
      chain.subgraphUrl,
    ]),
  ];
  const keys = [config.adminSecret, config.subgraphApiKey, config.secretsKey];
  const secrets = [
    ...urls.flatMap((url) => (url === null ? [] : [url, ...keysIn(url)])),
    ...keys.filter((key) => key !== null),
  ];
  return [...new Set(secrets)];
}

function keysIn(url: string): string[] {
  const { username, password, pathname, searchParams } = new URL(url);
  // It does not throw: `url()` of kinds.ts has checked that the credentials can be decoded.
  const credentials = [username, password].flatMap((each) => [each, decodeURIComponent(each)]);
  const parts = [...credentials, ...pathname.split("/"), ...searchParams.values()];
  return parts.filter((part) => part.length >= MIN_KEY_LENGTH);
}
