import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { type Address, keccak256 } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Clock } from "../clock";
import type { SignedFees } from "../decide/decide";
import { exitCode, KeeperError } from "../keeperError";
import type { MinedRemit, SendNode } from "../node/keeperNode";
import {
  type Attempt,
  afterBroadcast,
  feesToTry,
  isAnswered,
  nextStep,
  noteSeen,
  type Offer,
  pollPause,
  type Seen,
  type SendRules,
  type SendState,
  startSending,
} from "./sendStep";

/**
 * How sending ended. `mined`: `attempt`, or, if that is null, a transaction of an earlier process. `nonce_used`: another program
 * with the same key used the nonce, or a reorganisation freed an earlier one. `not_mined`: still waiting; the next call goes on with the
 * same nonce. `unwanted`: the offer was withdrawn, and no transaction is on its way.
 */
export type SendOutcome =
  | { why: "mined"; receipt: MinedRemit; attempt: Attempt | null }
  | { why: "nonce_used" | "not_mined" | "insufficient_funds" | "refused" | "unwanted" };

/** What to sign now with this nonce, judged on the state with or without the transactions in the node's pool. Null: not wanted any more. */
export type AskOffer = (state: "pending" | "latest", nonce: number) => Promise<Offer | null>;

/** A mined transaction, and what was signed; null: an earlier process signed it. */
export type Mined = Omit<Extract<SendOutcome, { why: "mined" }>, "why">;

export type Sender = {
  /**
   * Sends one transaction, remit() or a permit, until it is mined or sending ends otherwise. `offer` is asked before each signature.
   */
  send(offer: AskOffer): Promise<SendOutcome>;
  /** The nonce of a transaction that was given up; the next call of `send` goes on with it. */
  openNonce(): number | null;
  /** The transaction that was given up, if it was mined since. */
  collect(): Promise<Mined | null>;
};

export type SenderOptions = {
  node: SendNode;
  account: PrivateKeyAccount;
  chainId: number;
  contract: Address;
  clock: Clock;
  rules: SendRules;
  /** A transaction was signed, and is broadcast next. */
  onSigned?: (attempt: Attempt, nonce: number, isReplacement: boolean) => void;
  /** No transaction that was signed with this nonce can be mined any more. */
  onResolved?: (nonce: number) => void;
};

/**
 * Sends remit() and permits, one transaction at a time. The nonce is the number of mined transactions, so one that was sent before (by a
 * process that was killed, through a node that lost it, before a reorganisation) has the same nonce, and at most one of them is mined.
 * The state is read from the chain, and nothing is stored.
 */
export function createSender(options: SenderOptions): Sender {
  const { node, account, chainId, contract, clock, rules, onSigned, onResolved } = options;
  let open: SendState | null = null;

  async function look({ attempts }: SendState): Promise<Seen | null> {
    try {
      const { mined, pending } = await node.nonces();
      for (const { hash } of attempts.toReversed()) {
        const receipt = await node.receipt(hash);
        if (receipt !== null) return { mined, pending, receipt };
      }
      return { mined, pending, receipt: null };
    } catch (error) {
      // Nothing is known: a sent transaction may be mined meanwhile.
      if (error instanceof KeeperError && error.exitCode === exitCode.UNREACHABLE) return null;
      throw error;
    }
  }

  async function sign(nonce: number, offer: Offer, fees: SignedFees): Promise<Attempt> {
    const { gasLimit: gas, permit } = offer;
    const signed = await account.signTransaction({
      type: "eip1559",
      chainId,
      to: permit?.to ?? contract,
      data: permit?.data ?? encodeRemit(),
      value: 0n,
      gas,
      nonce,
      ...fees,
    });
    const sent = { hash: keccak256(signed), signed, fees, gas };
    return offer.permit === null
      ? { ...sent, permit: null, basis: offer.basis }
      : { ...sent, permit: offer.permit.permit };
  }

  /** What to broadcast: a new transaction at the offered fees, or the last one again where the cap forbids higher fees or no node answered. */
  async function nextAttempt(state: SendState, offer: Offer): Promise<Attempt | null> {
    const last = state.attempts.at(-1) ?? null;
    if (last !== null && !isAnswered(state, last)) return last;
    const fees = feesToTry(state, offer);
    return fees === null ? last : sign(state.nonce, offer, fees);
  }

  function minedAs({ nonce, attempts }: SendState, receipt: MinedRemit): Mined {
    onResolved?.(nonce);
    return { receipt, attempt: attempts.find(({ hash }) => hash === receipt.hash) ?? null };
  }

  /** The keeper's own remit() that used the nonce; null where none is found. */
  async function findUsed(state: SendState): Promise<Mined | null> {
    const receipt = await node.findOwn(state.nonce);
    if (receipt !== null) return minedAs(state, receipt);
    if (await node.isUsed(state.nonce)) onResolved?.(state.nonce);
    return null;
  }

  const pause = (state: SendState) => clock.sleep(pollPause(state, clock.elapsed()));

  /** One turn of sending. @returns how it ended; null where it goes on */
  async function turn(state: SendState, offer: AskOffer): Promise<SendOutcome | null> {
    const seen = await look(state);
    const now = clock.elapsed();
    if (seen === null) {
      await pause(state);
      return now - state.startedAt >= rules.giveUpAfterMs ? { why: "not_mined" } : null;
    }
    const current = noteSeen(state, seen, now, rules);
    open = current;
    const step = nextStep(current, seen, now, rules);
    if (step.do === "end") {
      if (step.why === "mined") return { why: "mined", ...minedAs(current, step.receipt) };
      if (step.why === "not_mined") return { why: "not_mined" };
      const used = await findUsed(current);
      return used === null ? { why: "nonce_used" } : { why: "mined", ...used };
    }
    if (step.do === "wait") {
      await pause(current);
      return null;
    }
    const isOnItsWay = current.isHeld || current.attempts.length > 0;
    const offered = await offer(isOnItsWay ? "latest" : "pending", current.nonce);
    const attempt = offered === null ? null : await nextAttempt(current, offered);
    if (attempt === null) {
      open = { ...current, nextAt: clock.elapsed() + rules.replaceAfterMs };
      return isOnItsWay ? null : { why: "unwanted" };
    }
    if (!current.attempts.some(({ hash }) => hash === attempt.hash)) onSigned?.(attempt, current.nonce, isOnItsWay);
    // Remembered while it is broadcast; after the answer, only where a node may have it.
    open = { ...current, attempts: [...current.attempts.filter(({ hash }) => hash !== attempt.hash), attempt] };
    const result = await node.broadcast(attempt.signed);
    const after = afterBroadcast(current, { attempt, result, now: clock.elapsed(), rules });
    if (typeof after === "string") {
      onResolved?.(current.nonce);
      return { why: after };
    }
    open = after;
    return null;
  }

  return {
    async send(offer) {
      if (open === null || open.attempts.length === 0)
        open = startSending((await node.nonces()).mined, clock.elapsed());
      // A transaction that was given up before gets the full time again.
      open = { ...open, startedAt: clock.elapsed() };
      for (;;) {
        const outcome = await turn(open, offer);
        if (outcome === null) continue;
        if (outcome.why !== "not_mined") open = null;
        return outcome;
      }
    },

    openNonce: () => (open === null || open.attempts.length === 0 ? null : open.nonce),

    async collect() {
      if (open === null) return null;
      const seen = await look(open);
      if (seen === null) return null;
      const now = clock.elapsed();
      open = noteSeen(open, seen, now, rules);
      // A nonce that is used without a receipt gets the same time as in `send`.
      const isUnknown = seen.mined <= open.nonce || nextStep(open, seen, now, rules).do === "wait";
      if (seen.receipt === null && isUnknown) return null;
      const mined = seen.receipt === null ? await findUsed(open) : minedAs(open, seen.receipt);
      open = null;
      return mined;
    },
  };
}
