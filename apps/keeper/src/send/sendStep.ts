import type { Address, Hex } from "viem";
import { highest, lowest } from "../bigints";
import type { SignedFees } from "../decide/decide";
import type { Broadcast, MinedRemit } from "../node/keeperNode";

export type SentPermit = { id: string; owner: Address };

/** The state that a remit() was judged on. */
export type Basis = {
  /** The head of the keeper's own node: it was judged on this block or a later one, so a remit() up to it was no surprise. */
  block: bigint;
  /** The first day that was open. */
  openDay: number;
};

/** One signed transaction. All attempts of a state have the same nonce, so at most one of them is mined. */
export type Attempt = {
  hash: Hex;
  signed: Hex;
  fees: SignedFees;
  gas: bigint;
} & (
  | { permit: SentPermit }
  /** It calls remit(). */
  | { permit: null; basis: Basis }
);

/** The state of sending one transaction. Times are milliseconds of the clock that never goes back. */
export type SendState = {
  nonce: number;
  startedAt: number;
  attempts: readonly Attempt[];
  /** A transaction of unknown fees has the nonce: one of this key that was sent before the start, or by another program. */
  isHeld: boolean;
  /** The highest fees that were tried; a replacement is above them. */
  floor: SignedFees | null;
  /** Nothing is broadcast before this time. */
  nextAt: number;
  /** When the nonce was first seen not to be the next one, without a receipt: it is used, or a reorganisation freed a lower one. */
  goneSince: number | null;
  refusals: number;
};

/** What the chain shows about the nonce. */
export type Seen = {
  /** How many transactions of the key are mined. */
  mined: number;
  /** How many are mined or wait in the node's pool. */
  pending: number;
  /** The receipt of any attempt. */
  receipt: MinedRemit | null;
};

export type SendRules = { replaceAfterMs: number; giveUpAfterMs: number };

export type Step =
  | { do: "broadcast" }
  | { do: "wait" }
  | { do: "end"; why: "mined"; receipt: MinedRemit }
  | { do: "end"; why: "nonce_used" | "not_mined" };

/** A node may show that a nonce is used before it has the receipt. */
export const RECEIPT_GRACE_MS = 5_000;
const SHORTEST_POLL_MS = 200;
const LONGEST_POLL_MS = 2_000;
/** Least pause after any refusal. */
export const REFUSAL_PAUSE_MS = 1_000;
const MOST_REFUSALS = 3;

export function startSending(nonce: number, now: number): SendState {
  return {
    nonce,
    startedAt: now,
    attempts: [],
    isHeld: false,
    floor: null,
    nextAt: now,
    goneSince: null,
    refusals: 0,
  };
}

/** Adds to the state what the chain shows. A transaction of this nonce that this process did not send gets time to be mined. */
export function noteSeen(
  state: SendState,
  { mined, pending, receipt }: Seen,
  now: number,
  rules: SendRules,
): SendState {
  const isGone = mined !== state.nonce && receipt === null;
  const found = !state.isHeld && state.attempts.length === 0 && pending > state.nonce;
  return {
    ...state,
    goneSince: isGone ? (state.goneSince ?? now) : null,
    ...(found && { isHeld: true, nextAt: now + rules.replaceAfterMs }),
  };
}

/** Pause until the chain is looked at again: a tenth of the time that sending has taken so far, so it is short where blocks come fast. */
export function pollPause({ startedAt }: Pick<SendState, "startedAt">, now: number): number {
  return Math.min(Math.max((now - startedAt) / 10, SHORTEST_POLL_MS), LONGEST_POLL_MS);
}

/** The next thing to do. */
export function nextStep(state: SendState, { receipt }: Seen, now: number, rules: SendRules): Step {
  if (receipt !== null) return { do: "end", why: "mined", receipt };
  if (state.goneSince !== null) {
    return now - state.goneSince >= RECEIPT_GRACE_MS ? { do: "end", why: "nonce_used" } : { do: "wait" };
  }
  if (now - state.startedAt >= rules.giveUpAfterMs) return { do: "end", why: "not_mined" };
  return now >= state.nextAt ? { do: "broadcast" } : { do: "wait" };
}

/** What the market and the limits allow to sign now. `capPerGas` is the highest price at which the transaction is still wanted. */
export type Offer = {
  fees: SignedFees;
  capPerGas: bigint;
  gasLimit: bigint;
} & (
  | { permit: { to: Address; data: Hex; permit: SentPermit } }
  /** remit() */
  | { permit: null; basis: Basis }
);

/** The fees to sign: those of the market, and at least an eighth above the last where a transaction is replaced. Null: the cap forbids it. */
export function feesToTry(
  { floor }: Pick<SendState, "floor">,
  { fees, capPerGas }: Pick<Offer, "fees" | "capPerGas">,
): SignedFees | null {
  if (floor === null) return fees;
  const maxFeePerGas = highest([raise(floor.maxFeePerGas), fees.maxFeePerGas]);
  if (maxFeePerGas > capPerGas) return null;
  const tip = highest([raise(floor.maxPriorityFeePerGas), fees.maxPriorityFeePerGas]);
  return { maxFeePerGas, maxPriorityFeePerGas: lowest([tip, maxFeePerGas]) };
}

/** Whether a node answered the broadcast of this attempt. */
export function isAnswered({ floor }: Pick<SendState, "floor">, { fees }: Attempt): boolean {
  return floor !== null && floor.maxFeePerGas >= fees.maxFeePerGas;
}

/** 12.5 % more, rounded up and at least 1 wei: nodes ask for 10 % of both fees. */
function raise(wei: bigint): bigint {
  return wei + (wei === 0n ? 1n : (wei + 7n) / 8n);
}

/** The state after a broadcast, or why sending ends. */
export function afterBroadcast(
  state: SendState,
  { attempt, result, now, rules }: { attempt: Attempt; result: Broadcast; now: number; rules: SendRules },
): SendState | "insufficient_funds" | "refused" {
  const floor = attempt.fees;
  const isFirst = state.attempts.length === 0;
  switch (result) {
    case "accepted":
    case "known":
    case "unreachable": {
      const attempts = [...state.attempts.filter(({ hash }) => hash !== attempt.hash), attempt];
      // Without an answer the same bytes are sent again soon, which can't have the transaction mined twice.
      const pauseMs = result === "unreachable" ? REFUSAL_PAUSE_MS : rules.replaceAfterMs;
      const tried = result === "unreachable" ? state.floor : floor;
      return { ...state, attempts, floor: tried, nextAt: now + pauseMs, refusals: 0 };
    }
    case "underpriced": {
      const pauseMs = isFirst && !state.isHeld ? rules.replaceAfterMs : REFUSAL_PAUSE_MS;
      return { ...state, isHeld: state.isHeld || isFirst, floor, nextAt: now + pauseMs };
    }
    case "nonce_too_low":
      return { ...state, nextAt: now + REFUSAL_PAUSE_MS };
    case "insufficient_funds":
      return isFirst ? "insufficient_funds" : { ...state, nextAt: now + rules.replaceAfterMs };
    case "refused": {
      const refusals = state.refusals + 1;
      if (isFirst && refusals >= MOST_REFUSALS) return "refused";
      return { ...state, refusals, nextAt: now + REFUSAL_PAUSE_MS * 2 ** Math.min(refusals, 6) };
    }
  }
}
