import type { Address, Hex } from "viem";
import type { Frequency } from "../calendar/frequency";
import { type ChargeTermsOf, createChargeTerms } from "./chargeTerms";
import { removeFromSet } from "./removeFromSet";
import { type Checkpoint, dueKey, type RemitState, type RemitSubscriber, type RemitSubscription } from "./state";
import { TokenLedger } from "./tokenLedger";

/** A subscription's set while calls of remit() go through it. */
export type WorkingSet = {
  /** In set order; entries are replaced, never changed. */
  subscribers: RemitSubscriber[];
  unsubscribed: ReadonlySet<Address>;
};

const NOBODY: ReadonlySet<Address> = new Set();

/** Empty sets share one object, because a million of them would take much memory. */
function setOf(accounts: readonly Address[]): ReadonlySet<Address> {
  return accounts.length === 0 ? NOBODY : new Set(accounts);
}

/**
 * The state while calls of remit() change it, one after another: copies of the lists, sets and holdings that they change, on top
 * of a state that stays unchanged.
 */
export class WorkingState {
  nextUncheckedDay: number;
  checkpoint: Checkpoint | null;
  /** The terms of a subscription's payments. */
  readonly termsOf: ChargeTermsOf;
  private readonly dueLists = new Map<number, Hex[]>();
  private readonly sets = new Map<Hex, WorkingSet>();
  private readonly ledgers = new Map<Address, TokenLedger>();

  constructor(readonly origin: RemitState) {
    this.nextUncheckedDay = origin.nextUncheckedDay;
    this.checkpoint = origin.checkpoint;
    this.termsOf = createChargeTerms(origin);
  }

  /**
   * The changes so far on top of `origin`: the state that they began with, but on a later day and possibly with more lists,
   * subscriptions and holdings. `this` must not be used afterwards.
   */
  on(origin: RemitState): WorkingState {
    for (const [address, ledger] of this.ledgers) ledger.token = origin.tokens.get(address) ?? ledger.token;
    return Object.assign(new WorkingState(origin), this, { origin });
  }

  /** The current due list. A later removal of an id may change the returned list. */
  dueList(frequency: Frequency, dueDay: number): readonly Hex[] {
    const key = dueKey(frequency, dueDay);
    return this.dueLists.get(key) ?? this.origin.dueLists.get(key) ?? [];
  }

  /** Removes the id at `position` (from 1) from its due list. */
  removeDue(frequency: Frequency, dueDay: number, position: number): void {
    const key = dueKey(frequency, dueDay);
    const list = this.dueLists.get(key) ?? [...(this.origin.dueLists.get(key) ?? [])];
    removeFromSet(list, position - 1);
    this.dueLists.set(key, list);
  }

  /** Throws RangeError where the state lacks an id of its due lists: it was read incompletely. */
  subscription(id: Hex): RemitSubscription {
    const subscription = this.origin.subscriptions.get(id);
    if (subscription === undefined) throw new RangeError(`the state lacks subscription ${id}, which a due list names`);
    return subscription;
  }

  set(subscription: RemitSubscription): WorkingSet {
    const known = this.sets.get(subscription.id);
    if (known !== undefined) return known;
    const set = { subscribers: [...subscription.subscribers], unsubscribed: setOf(subscription.unsubscribed) };
    this.sets.set(subscription.id, set);
    return set;
  }

  /** Throws RangeError where the state lacks the token of one of its subscriptions. */
  ledger(address: Address): TokenLedger {
    const known = this.ledgers.get(address);
    if (known !== undefined) return known;
    const token = this.origin.tokens.get(address);
    if (token === undefined) throw new RangeError(`the state lacks token ${address}, which a subscription names`);
    const ledger = new TokenLedger(address, token, this.origin.protocol);
    this.ledgers.set(address, ledger);
    return ledger;
  }

  /** Releases the copies of sets, for a caller that needs only `ledger` from now on. */
  releaseSets(): void {
    this.sets.clear();
  }
}
