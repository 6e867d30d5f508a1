import type { Config } from "./parseConfig";

/** Paths, passwords and parameters of a URL that are this long may well be keys. */
const SHORTEST_KEY = 8;

/** Every text of the settings that must never leave the process, with the parts of URLs that work as keys. */
export function secretsOf(config: Config): string[] {
  const urls = [
    config.databaseUrl,
    config.redisUrl,
    ...config.chains.flatMap((chain) => [...chain.rpcUrls, chain.subgraphUrl]),
  ];
  const keys = [config.adminSecret, config.subgraphApiKey];
  const secrets = [
    ...urls.flatMap((url) => (url === null ? [] : [url, ...keysIn(url)])),
    ...keys.filter((key) => key !== null),
  ];
  return [...new Set(secrets)];
}

function keysIn(url: string): string[] {
  const { password, pathname, searchParams } = new URL(url);
  const parts = [decodeURIComponent(password), password, ...pathname.split("/"), ...searchParams.values()];
  return parts.filter((part) => part.length >= SHORTEST_KEY);
}
