import { parseQuantity } from "./parseQuantity";
import { isRecord } from "./parseRpcAnswer";
import type { RpcCall } from "./rpcOutcome";

/** One ether per gas. */
const GAS_PRICE_END = 10n ** 18n;
/** The gas that every transaction costs, and more gas than any block has. */
const [LEAST_GAS, GAS_END] = [21_000n, 2n ** 53n];
/** A million ether. */
const L1_FEE_END = 10n ** 24n;

/**
 * Whether a result has the form that the specification gives the method, and is about what was asked: the block, the transaction. Any
 * other result is a failure of the node: a word that lacks half a byte would be read as another number.
 */
export function fitsMethod({ method, params }: RpcCall, result: unknown): boolean {
  const asked: unknown = Array.isArray(params) ? params[0] : undefined;
  switch (method) {
    case "eth_call":
    case "eth_getCode":
      return isBytes(result);
    case "eth_getStorageAt":
      return isWord(result) || result === "0x" || result === "0x0";
    case "eth_estimateGas":
      return isWithin(result, LEAST_GAS, GAS_END);
    case "eth_gasPrice":
    case "eth_maxPriorityFeePerGas":
      return isWithin(result, 0n, GAS_PRICE_END);
    case "eth_chainId":
      return parseQuantity(result) !== null;
    case "eth_getBlockByHash":
      return isHeader(result) && isSame(result.hash, asked);
    case "eth_getBlockByNumber":
      return isHeader(result) && (isTag(asked) || isSameNumber(result.number, asked));
    case "eth_getTransactionByHash":
      return result === null || (isRecord(result) && isSame(result.hash, asked));
    case "eth_getTransactionReceipt":
      return result === null || (isRecord(result) && isSame(result.transactionHash, asked) && hasPossibleCost(result));
    default:
      return true;
  }
}

/** Data of whole bytes. */
export function isBytes(value: unknown): value is `0x${string}` {
  return typeof value === "string" && value.length % 2 === 0 && BYTES.test(value);
}

/** 32 bytes. */
export function isWord(value: unknown): value is `0x${string}` {
  return typeof value === "string" && value.length === 66 && BYTES.test(value);
}

const BYTES = /^0x[0-9a-fA-F]*$/;

function isWithin(value: unknown, least: bigint, end: bigint): boolean {
  const number = parseQuantity(value);
  return number !== null && number >= least && number < end;
}

/** Only chains on the OP Stack have an `l1Fee`. */
function hasPossibleCost({ gasUsed, effectiveGasPrice, l1Fee }: Record<string, unknown>): boolean {
  if (!isWithin(gasUsed, 0n, GAS_END) || !isWithin(effectiveGasPrice, 0n, GAS_PRICE_END)) return false;
  return l1Fee === undefined || l1Fee === null || isWithin(l1Fee, 0n, L1_FEE_END);
}

function isHeader(result: unknown): result is Record<string, unknown> {
  return isRecord(result) && isWord(result.hash) && isWord(result.parentHash);
}

/** A tag such as "latest", which any block may answer. */
function isTag(asked: unknown): boolean {
  return typeof asked !== "string" || !asked.startsWith("0x");
}

function isSame(hash: unknown, asked: unknown): boolean {
  return isWord(hash) && typeof asked === "string" && hash.toLowerCase() === asked.toLowerCase();
}

function isSameNumber(number: unknown, asked: unknown): boolean {
  const found = parseQuantity(number);
  return found !== null && found === parseQuantity(asked);
}
