import { createLineLogger } from "@dueday/config/createLogger";

export type LogLevel = "info" | "warn" | "error";
/** Fields of a log line; bigints are written as text. */
export type Facts = Readonly<Record<string, string | number | bigint | boolean | null>>;
export type KeeperLog = (level: LogLevel, message: string, facts?: Facts) => void;

export type KeeperLogOptions = {
  form: "json" | "pretty";
  /** Texts that never appear in a line. */
  secrets: readonly string[];
  /** Default: standard output. */
  write?: (lines: string) => void;
};

/** The log of the keeper: lines of JSON with time, or lines for people on a terminal. Secrets are replaced in both. */
export function createKeeperLog({ form, secrets, write }: KeeperLogOptions): KeeperLog {
  const logger = createLineLogger({
    level: "info",
    secrets,
    ...(write !== undefined && { destination: { write } }),
    ...(form === "pretty" && { format: prettyLine }),
  });
  return (level, message, facts = {}) => {
    const plain = Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === "bigint" ? String(value) : value,
    ]);
    logger[level](Object.fromEntries(plain), message);
  };
}

/** `12:34:56 [8453] warn: message`: the fields are in the message, as far as people need them. */
function prettyLine(line: string): string {
  const { level, time, chainId, msg, err }: Record<string, unknown> = JSON.parse(line);
  const sign = level === "info" ? "" : `${level}: `;
  const chain = chainId === undefined ? "" : `[${chainId}] `;
  const error = err === undefined ? "" : ` ${JSON.stringify(err)}`;
  return `${String(time).slice(11, 19)} ${chain}${sign}${msg}${error}\n`;
}
