import { parseQuantity } from "./parseQuantity";
import type { RpcCall } from "./rpcOutcome";

/** How far the time of a block may lie ahead of our clock. */
export type ClockBound = {
  /** Milliseconds since 1970. */
  clock: () => number;
  maxAheadSeconds: number;
};

/** The bound that a chain's settings require. */
export function clockBound(
  { maxClockAheadSeconds }: { maxClockAheadSeconds: number | null },
  clock: () => number,
): ClockBound | undefined {
  return maxClockAheadSeconds === null ? undefined : { clock, maxAheadSeconds: maxClockAheadSeconds };
}

/** The first second of the year 10000: milliseconds taken for seconds lie beyond it. */
const TIME_END = 253_402_300_800n;
/** Block numbers are kept as JavaScript numbers, which are exact below this. */
const NUMBER_END = 2n ** 53n;
/** One ether per gas. */
const BASE_FEE_END = 10n ** 18n;
/** How many seconds the time of a higher block may lie before that of a lower one, after a reorganisation. */
const MOST_BACK = 3_600n;
/** Blocks whose time is remembered, to compare it with that of their child. */
const REMEMBERED = 512;

/**
 * Judges the blocks of one node: whether the number, time, gas limit and base fee of an answer can be those of a block. The time
 * may lie far behind our clock, and ahead of it only within `bound`. Where this node has sent the parent before, the time must not be
 * earlier than the parent's; where it has sent the same block before, the time must be the same. With a bound, a block that is at least as
 * high as the highest one must not be more than an hour earlier than that one. An answer that is not a block at all
 * passes: its reader rejects it as malformed.
 */
export function createBlockJudge(bound: ClockBound | undefined): (call: RpcCall, answer: unknown) => boolean {
  const times = new Map<string, bigint>();
  let newest = { number: 0n, time: 0n };

  return function isPossible(call, answer) {
    if (!call.method.startsWith("eth_getBlockBy") || !isObject(answer)) return true;
    const { hash, parentHash, baseFeePerGas } = answer;
    // Chains got base fees before they got withdrawals, so a block with withdrawals also has a base fee.
    if (baseFeePerGas == null && answer.withdrawalsRoot != null) return false;
    const [number, time, gasLimit] = [answer.number, answer.timestamp, answer.gasLimit].map(parseQuantity);
    const baseFee = parseQuantity(baseFeePerGas ?? "0x0");
    if (number == null || time == null || gasLimit == null || baseFee === null) return false;
    if (number >= NUMBER_END || time >= TIME_END || baseFee >= BASE_FEE_END) return false;
    if (gasLimit === 0n || gasLimit >= NUMBER_END) return false;
    if (bound !== undefined && Number(time) > bound.clock() / 1000 + bound.maxAheadSeconds) return false;
    const parentTime = typeof parentHash === "string" ? times.get(parentHash) : undefined;
    if (parentTime !== undefined && time < parentTime) return false;
    // A development chain may be set back, so this is checked only where there is a bound.
    if (bound !== undefined && number >= newest.number && time + MOST_BACK < newest.time) return false;
    if (typeof hash === "string") {
      // The hash of a block covers its time, so one hash can't have two times.
      if ((times.get(hash) ?? time) !== time) return false;
      remember(hash, time);
    }
    if (number >= newest.number) newest = { number, time };
    return true;
  };

  function remember(hash: string, time: bigint): void {
    times.delete(hash);
    times.set(hash, time);
    const [oldest] = times.keys();
    if (times.size > REMEMBERED && oldest !== undefined) times.delete(oldest);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
