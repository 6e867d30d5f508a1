import { randomBytes } from "node:crypto";
import { canonicalLimits, type Lane, type LaneLimits, limitSetting } from "@dueday/config/limits";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import type { Devnet } from "@dueday/devnet/startDevnet";

/** Settings that a stack ignores: it must not touch a database or a chain that it did not create. */
const OWN = /^(?:DATABASE_URL|REDIS_URL|DATA_DIR|CHAINS|DEFAULT_REST_CHAIN_ID|HISTORY_SOURCE|CHAIN_[0-9]+_.*)$/;

type Environment = Record<string, string | undefined>;

/** A first try should not meet the limits of a public service. */
export const LIMIT_FACTOR = 100;

/**
 * The environment of a stack: its limits, the user's own settings, such as PORT, and, once the devnet runs, the devnet as its only
 * chain.
 */
export function stackSettings(
  env: Environment,
  devnet: Pick<Devnet, "url" | "contract" | "tokens" | "startBlock"> | null,
): Environment {
  const allowed = Object.entries(env).filter(([name]) => !OWN.test(name));
  // The value is not needed: setting any secret enables the developer portal.
  const secret = randomBytes(24).toString("hex");
  // The text that the user has to read would scroll away under the log lines of requests.
  const settings = {
    LOG_LEVEL: "warn",
    ADMIN_SECRET: secret,
    ...raisedLimits(),
    // The key is as temporary as the database, and receivers run on the same machine.
    SECRETS_KEY: randomBytes(32).toString("hex"),
    WEBHOOKS_TO_LOOPBACK: "true",
    ...Object.fromEntries(allowed),
  };
  if (devnet === null) return settings;
  const chain = `CHAIN_${DEVNET_CHAIN_ID}`;
  return {
    ...settings,
    CHAINS: String(DEVNET_CHAIN_ID),
    [`${chain}_NAME`]: "Devnet",
    [`${chain}_RPC_URLS`]: devnet.url,
    [`${chain}_PUBLIC_RPC_URL`]: devnet.url,
    [`${chain}_CONTRACT`]: devnet.contract,
    [`${chain}_TOKENS`]: devnet.tokens.join(","),
    [`${chain}_START_BLOCK`]: devnet.startBlock.toString(),
  };
}

function raisedLimits(): Environment {
  const lanes = Object.entries(canonicalLimits) as [Lane, LaneLimits][]; // the lanes and limits are its own
  return Object.fromEntries(
    lanes.flatMap(([lane, limits]) =>
      Object.entries(limits).map(([name, limit]) => [
        limitSetting(lane, name as keyof LaneLimits), // from the line above
        String(limit * LIMIT_FACTOR),
      ]),
    ),
  );
}
