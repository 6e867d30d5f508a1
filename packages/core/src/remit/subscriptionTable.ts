import type { Address, Hex } from "viem";
import { toFrequency } from "../calendar/frequency";
import { shareEqual } from "./shareEqual";
import type { RemitSubscription } from "./state";
import { Table } from "./table";

/** Positions of bits in the column of terms: the due day has the nine bits below. */
const [FREQUENCY, CANCELLED] = [9, 11];

/**
 * Subscriptions, stored in columns: 343 bytes of heap for each, instead of 545 in a map of objects. Those with several
 * subscribers, an unsubscribed list, or a due day that needs more than nine bits are kept as objects in `others`.
 */
export class SubscriptionTable extends Table<Hex, RemitSubscription> {
  private readonly ids: Hex[] = [];
  private readonly amounts: bigint[] = [];
  private readonly providers: Address[] = [];
  private readonly tokens: Address[] = [];
  private readonly terms: number[] = [];
  private readonly subscribers: (Address | null)[] = [];
  private readonly feeBalances: bigint[] = [];
  private readonly others = new Map<number, RemitSubscription>();
  private readonly share = shareEqual<bigint>();
  private readonly shareAddress = shareEqual<Address>();

  /** Adds the subscription, or replaces the one with its id. */
  set(subscription: RemitSubscription): this {
    const { id, amount, provider, token, frequency, dueDay, cancelled, subscribers, unsubscribed } = subscription;
    const place = this.placeFor(id);
    const [first] = subscribers;
    this.ids[place] = id;
    if (subscribers.length > 1 || unsubscribed.length > 0 || dueDay >= 1 << FREQUENCY) {
      this.others.set(place, subscription);
      return this;
    }
    this.others.delete(place);
    this.amounts[place] = this.share(amount);
    this.providers[place] = this.shareAddress(provider);
    this.tokens[place] = this.shareAddress(token);
    this.terms[place] = dueDay | (frequency << FREQUENCY) | (cancelled ? 1 << CANCELLED : 0);
    this.subscribers[place] = first?.subscriber ?? null;
    this.feeBalances[place] = this.share(first?.feeBalance ?? 0n);
    return this;
  }

  protected override at(place: number): RemitSubscription {
    const other = this.others.get(place);
    if (other !== undefined) return other;
    const [id, provider, token] = [this.ids[place], this.providers[place], this.tokens[place]];
    if (id === undefined || provider === undefined || token === undefined) throw new RangeError(`no row ${place}`);
    const terms = this.terms[place] ?? 0;
    const subscriber = this.subscribers[place] ?? null;
    return {
      id,
      amount: this.amounts[place] ?? 0n,
      provider,
      token,
      cancelled: terms >> CANCELLED === 1,
      frequency: toFrequency((terms >> FREQUENCY) & 3),
      dueDay: terms & ((1 << FREQUENCY) - 1),
      subscribers: subscriber === null ? [] : [{ subscriber, feeBalance: this.feeBalances[place] ?? 0n }],
      unsubscribed: [],
    };
  }
}
