import type { Config } from "@dueday/config/parseConfig";
import { Address, ChainId, Nullable } from "@dueday/core/schema";
import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
import { type Static, Type } from "@sinclair/typebox";

/** What the page needs to know of this installation. Everything in it is public. */
export const AppConfig = Type.Object({
  version: Type.String(),
  defaultChainId: Type.Integer(),
  chains: Type.Array(
    Type.Object({
      chainId: ChainId,
      name: Type.String(),
      contract: Address,
      explorerUrl: Nullable(Type.String()),
      publicRpcUrl: Nullable(Type.String()),
    }),
  ),
  /** Whether the page can offer developer keys. */
  developerKeys: Type.Boolean(),
  /** Whether mails are sent: the operator has set a mail server. */
  reminders: Type.Boolean(),
});
export type AppConfig = Static<typeof AppConfig>;

/** Makes the page's configuration. It has the chains that are served over REST, because the page uses REST. */
export function createAppConfig(config: Config, version: string): AppConfig {
  return {
    version,
    defaultChainId: config.defaultRestChainId,
    chains: config.chains
      .filter(({ rest }) => rest)
      .map(({ chainId, name, contract, explorerUrl, publicRpcUrl }) => ({
        chainId,
        name,
        contract,
        publicRpcUrl,
        explorerUrl: explorerUrl === null ? null : withoutTrailing(explorerUrl, "/"),
      })),
    developerKeys: config.developerKeysEnabled,
    reminders: config.mail !== null && config.secretsKey !== null,
  };
}
