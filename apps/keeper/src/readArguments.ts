import { parseArgs } from "node:util";
import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
import { type Address, getAddress, type Hex, isAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { exitCode, KeeperError } from "./keeperError";
import type { CostLimits } from "./limitGasPrice";

export type KeeperArguments = {
  apiUrl: string;
  /** The keeper's own node. Null only for a dry run. */
  rpcUrl: string | null;
  /** Null: the known contract of the node's chain (core/chains). */
  contract: Address | null;
  /** Null only for a dry run. */
  privateKey: Hex | null;
  intervalMs: number;
  /** Longest random pause before a transaction. */
  jitterMs: number;
  costLimits: CostLimits;
  dryRun: boolean;
  once: boolean;
};

export const helpText = `Usage: bun run keeper --api URL --rpc URL [options]

Settles what is due on the recurring-payment protocol: reads the plan from a Dueday API, signs
remit() with its own key and sends it through its own node, until caught up; then polls for more.

  --api URL            the API that serves the plan         (default http://127.0.0.1:3000)
  --rpc URL            your own node; its chain is used     (not needed for --dry-run)
  --contract ADDRESS   the protocol contract                (default: the known one of the chain)
  --interval SECONDS   pause between two polls of the plan  (default 300)
  --jitter SECONDS     longest random pause before a transaction, so that keepers do not
                       all act at once                      (default 1; 0 for none)
  --max-gas-price GWEI send nothing while gas costs more, and sign no higher price
  --min-profit ETH     stop before a transaction that may earn less, net of gas
  --price TOKEN:WEI    value of one whole token in wei; for --min-profit, once for each token
  --dry-run            print the plan as a table and exit; needs no key
  --once               exit when caught up
  --help               print this text

The key is read from the environment only: KEEPER_PRIVATE_KEY=0x... It signs nothing but remit(),
without arguments or value, to that contract, on the chain of your own node.

Exit codes
  0  caught up, nothing due, or the dry run is printed
  1  an argument or KEEPER_PRIVATE_KEY is missing or wrong
  2  the API returned something other than a bare remit(): nothing was signed
  3  the protocol is blocked: the next remit() would revert or change nothing (--once)
  4  a transaction reverted or was not mined in time (--once)
  5  the API or the node can't be reached, or refuses (--once)
`;

const PRIVATE_KEY = /^0x[0-9a-fA-F]{64}$/;
/** A day, far below the longest timer. */
const LONGEST_INTERVAL_SECONDS = 86_400;
const LONGEST_JITTER_SECONDS = 600;
const DECIMAL = /^([0-9]{1,12})(?:\.([0-9]+))?$/;
const PRICE = /^0x[0-9a-fA-F]{40}:(?:0|[1-9][0-9]{0,39})$/;

/**
 * Reads the command line (without the program's name) and the key. Null for --help.
 *
 * @throws KeeperError naming every fault at once.
 */
export function readArguments(argv: string[], privateKey: string | undefined): KeeperArguments | null {
  const values = parse(argv);
  if (values.help) return null;
  const faults: string[] = [];
  const apiUrl = values.api ?? "http://127.0.0.1:3000";
  if (!isHttpUrl(apiUrl)) faults.push("--api must be an http or https URL");
  if (values.rpc === undefined && !values["dry-run"]) faults.push("--rpc is missing: the URL of your own node");
  if (values.rpc !== undefined && !isHttpUrl(values.rpc)) faults.push("--rpc must be an http or https URL");
  const { contract } = values;
  if (contract !== undefined && !isAddress(contract, { strict: false })) {
    faults.push("--contract must be an address: 0x and 40 hexadecimal digits");
  }
  const interval = Number(values.interval ?? "300");
  if (!(interval >= 1 && interval <= LONGEST_INTERVAL_SECONDS)) {
    faults.push(`--interval must be 1 to ${LONGEST_INTERVAL_SECONDS} seconds`);
  }
  const jitter = Number(values.jitter ?? "1");
  if (!(jitter >= 0 && jitter <= LONGEST_JITTER_SECONDS)) {
    faults.push(`--jitter must be 0 to ${LONGEST_JITTER_SECONDS} seconds`);
  }
  const maxGasPrice = readDecimal(values["max-gas-price"], 9);
  if (maxGasPrice === "malformed") faults.push("--max-gas-price must be a number of gwei, such as 0.05");
  const minProfitWei = readDecimal(values["min-profit"], 18);
  if (minProfitWei === "malformed") faults.push("--min-profit must be a number of ether, such as 0.0001");
  const prices = values.price ?? [];
  if (!prices.every((price) => PRICE.test(price)))
    faults.push("--price must be TOKEN:WEI, an address and a whole number, such as 0x8335...2913:400000000000000");
  if (minProfitWei !== null && prices.length === 0) faults.push("--min-profit needs a --price for each fee token");
  const key = readKey(privateKey);
  if (key === "malformed") faults.push("KEEPER_PRIVATE_KEY must be a private key: 0x and 64 hexadecimal digits");
  if (key === null && !values["dry-run"]) faults.push("KEEPER_PRIVATE_KEY is missing: the key that signs and earns");
  if (faults.length > 0) throw new KeeperError(exitCode.SETTINGS, faults.join("\n"));
  return {
    apiUrl: withoutTrailing(apiUrl, "/"),
    rpcUrl: values.rpc ?? null,
    contract: contract === undefined ? null : getAddress(contract),
    privateKey: key === "malformed" ? null : key,
    intervalMs: interval * 1000,
    jitterMs: jitter * 1000,
    costLimits: {
      minProfitWei: minProfitWei === "malformed" ? null : minProfitWei,
      maxGasPrice: maxGasPrice === "malformed" ? null : maxGasPrice,
      prices,
    },
    dryRun: values["dry-run"],
    once: values.once,
  };
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      strict: true,
      allowPositionals: false,
      options: {
        api: { type: "string" },
        rpc: { type: "string" },
        contract: { type: "string" },
        interval: { type: "string" },
        jitter: { type: "string" },
        "max-gas-price": { type: "string" },
        "min-profit": { type: "string" },
        price: { type: "string", multiple: true },
        "dry-run": { type: "boolean", default: false },
        once: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unreadable arguments";
    throw new KeeperError(exitCode.SETTINGS, `${reason}\nbun run keeper --help lists the options`);
  }
}

/** A decimal number in units of 10^-decimals; null where it is not given. */
function readDecimal(text: string | undefined, decimals: number): bigint | "malformed" | null {
  if (text === undefined) return null;
  const [, whole = "", fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === "" || fraction.length > decimals) return "malformed";
  return BigInt(`${whole}${fraction.padEnd(decimals, "0")}`);
}

function readKey(text: string | undefined): Hex | "malformed" | null {
  if (text === undefined || text === "") return null;
  if (!isPrivateKey(text)) return "malformed";
  try {
    privateKeyToAccount(text);
    return text;
  } catch {
    // Right in form, but zero or beyond the curve's order. The library's message could quote it.
    return "malformed";
  }
}

function isPrivateKey(text: string): text is Hex {
  return PRIVATE_KEY.test(text);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
