import { getAddress, type Hex } from "viem";
import { amountFields } from "../amounts/tokenAmount";
import { toTokenUnits } from "../amounts/tokenUnits";
import { type Frequency, frequencyLabel, toFrequency } from "../calendar/frequency";
import type { CoordinatesLog, SubLog } from "../events/protocolEvent";
import type { EventData } from "./domainEvent";
import { type EventBatch, type KnownSubscription, tokenOf } from "./eventBatch";

/** What is known of the subscriptions of a batch, updated as its logs create and change them. */
export class KnownSubscriptions {
  private readonly byId: Map<Hex, KnownSubscription>;

  constructor(private readonly batch: EventBatch) {
    this.byId = new Map(batch.subscriptions);
  }

  /** @throws Error when the batch does not have the terms of the subscription */
  create({ id, provider, token, amount }: SubLog, details: KnownSubscription["details"]): void {
    const terms = this.batch.terms.get(id);
    if (terms === undefined) throw new Error(`the terms of the created subscription ${id} are missing`);
    const frequency = toFrequency(terms.frequency);
    const { dueDay } = terms;
    this.byId.set(id, { provider, token, amount, frequency, dueDay, cancelled: false, details });
  }

  /** A subscription that was created before the first indexed block stays unknown. */
  change(id: Hex, change: Partial<KnownSubscription>): void {
    const known = this.byId.get(id);
    if (known !== undefined) this.byId.set(id, { ...known, ...change });
  }

  /** The frequency in the Coordinates log of a charge, else the known one; null where there is neither. */
  frequencyOf(id: Hex, coordinates: CoordinatesLog | null): Frequency | null {
    const frequency = coordinates?.frequency ?? this.byId.get(id)?.frequency;
    return frequency === undefined || frequency > 3 ? null : toFrequency(frequency);
  }

  /** Data of an event about the terms of a subscription; null for an unknown one. */
  termsOf(id: Hex): EventData<"subscription.created"> | null {
    const known = this.byId.get(id);
    if (known === undefined) return null;
    const { token, amount, frequency, dueDay, cancelled, details } = known;
    const provider = getAddress(known.provider);
    const info = tokenOf(this.batch, token);
    const record = {
      id,
      provider,
      token: info.address,
      tokenSymbol: info.symbol,
      ...amountFields(toTokenUnits(amount, info.decimals), info.decimals),
      frequency,
      frequencyLabel: frequencyLabel(frequency),
      dueDay,
      cancelled,
    };
    return { id, provider, record, details };
  }
}
