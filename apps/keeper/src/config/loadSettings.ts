import { readFile } from "node:fs/promises";
import type { PrivateKeyAccount } from "viem/accounts";
import { exitCode, KeeperError } from "../keeperError";
import { readKey } from "../key/readKey";
import { flattenToml } from "./flattenToml";
import { type KeeperSettings, parseSettings, type SettingFault } from "./parseSettings";
import type { Flags } from "./readFlags";

export type LoadedSettings = {
  settings: KeeperSettings;
  /** Null only for a dry run, and for `keeper health`. */
  account: PrivateKeyAccount | null;
  /** Texts that must not appear in anything the process writes. */
  secrets: readonly string[];
};

export const CONFIG_FILE = "keeper.toml";

/**
 * Reads settings and key.
 *
 * @throws KeeperError with all faults, each with the name of its setting. Its message repeats no value.
 */
export async function loadSettings(
  flags: Flags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedSettings> {
  const file = await readConfigFile(flags.configFile ?? env.KEEPER_CONFIG);
  const toml = flattenToml("content" in file ? file.content : "");
  const { settings, faults } = parseSettings({ flags, toml, env });
  const all: SettingFault[] = ["content" in file ? [] : [file], faults].flat();
  // Opening a keystore takes seconds, and a container asks for its health every half minute.
  const key = settings.key === null || flags.command === "health" ? null : await readKey(settings.key);
  if (key !== null && "problem" in key) all.push(key);
  if (all.length > 0) throw new KeeperError(exitCode.SETTINGS, faultsText(all));
  const account = key !== null && "account" in key ? key.account : null;
  const keySecrets = key !== null && "account" in key ? key.secrets : [];
  return { settings, account, secrets: [...keySecrets, ...secretsOf(settings)] };
}

/** Without a path, keeper.toml is read where there is one. */
async function readConfigFile(path: string | undefined): Promise<{ content: string } | SettingFault> {
  try {
    return { content: await readFile(path ?? CONFIG_FILE, "utf8") };
  } catch {
    if (path === undefined) return { content: "" };
    return { setting: "--config", problem: "can't be read: check the path of the file" };
  }
}

function faultsText(faults: readonly SettingFault[]): string {
  return ["Invalid settings:", ...faults.map(({ setting, problem }) => `  ${setting} ${problem}`)].join("\n");
}

/** The parts of a URL that have at least this length may be keys. */
const MIN_KEY_LENGTH = 8;

/** The API key, and the URLs of nodes, prices and notifications with their parts, which often contain a key. */
function secretsOf({ api, chains, notify }: KeeperSettings): string[] {
  const priceUrls = chains.flatMap(({ prices }) =>
    [...prices.values()].flatMap((each) => (each.kind === "url" ? [each.url] : [])),
  );
  const urls = [...chains.flatMap(({ rpcUrls }) => rpcUrls), ...notify.urls, ...priceUrls];
  const parts = urls.flatMap((each) => {
    const { username, password, pathname, searchParams } = new URL(each);
    return [username, password, ...pathname.split("/"), ...searchParams.values()].filter(
      (part) => part.length >= MIN_KEY_LENGTH,
    );
  });
  return [...new Set([...urls, ...parts, ...(api?.apiKey ? [api.apiKey] : [])])];
}
