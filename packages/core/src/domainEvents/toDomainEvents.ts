import { getAddress, type Hex } from "viem";
import { amountFields } from "../amounts/tokenAmount";
import { toTokenUnits } from "../amounts/tokenUnits";
import { timestampToIso } from "../calendar/dates";
import { dayNumber } from "../calendar/dayNumber";
import type { SubLog } from "../events/protocolEvent";
import { subLogCode } from "../events/subLogEvents";
import { finalityOf } from "../finality";
import { cleanTexts } from "../text/cleanText";
import type { ChainEventType, EventData, NewDomainEvent } from "./domainEvent";
import { type ChainLog, type EventBatch, receiptOf, tokenOf } from "./eventBatch";
import { logEventId } from "./eventId";
import { KnownSubscriptions } from "./knownSubscriptions";
import {
  callerLogAfter,
  chargeAt,
  coordinatesAt,
  isLastCallerLog,
  leavingReason,
  logsByTransaction,
  subLogAt,
} from "./logPatterns";
import { refundOfRemoval } from "./readReceipt";
import { settledRemit } from "./settledRemit";

/**
 * The domain events of a batch of logs, in the order of the chain. A paid charge is one event, although the chain logs it for both
 * sides: `docs/events.md` has the table from log pattern to event. A log that fits no pattern of the protocol gives no event.
 *
 * @throws Error when a receipt that `receiptsNeeded` names, or the terms of a subscription that the logs create, are missing
 */
export function toDomainEvents(batch: EventBatch): NewDomainEvent[] {
  const known = new KnownSubscriptions(batch);
  return logsByTransaction(batch.logs).flatMap((logs) => new TransactionEvents(batch, known, logs).read());
}

type TermsEventType = "subscription.created" | "subscription.cancelled" | "subscription.details_changed";

/** Reads the logs of one transaction from the first to the last. */
class TransactionEvents {
  private readonly events: NewDomainEvent[] = [];

  constructor(
    private readonly batch: EventBatch,
    private readonly known: KnownSubscriptions,
    private readonly logs: readonly ChainLog[],
  ) {}

  read(): NewDomainEvent[] {
    for (let index = 0; index < this.logs.length; index++) index = this.readAt(index);
    return this.events;
  }

  /** Writes the events that begin at the log, and returns the index of their last log. */
  private readAt(index: number): number {
    const log = this.at(index);
    const { event, transactionHash } = log;
    switch (event.event) {
      case "SubLog":
        return this.readSubLog(index, log, event);
      case "DetailsLog": {
        const details = cleanTexts({ url: event.url, description: event.description });
        const created = this.logs[index + 1]?.event;
        const isCreation = created?.event === "SubLog" && created.code === subLogCode.Create && created.id === event.id;
        if (isCreation) {
          this.known.create(created, details);
          this.writeTerms("subscription.created", this.at(index + 1), event.id);
          return index + 1;
        }
        this.known.change(event.id, { details });
        this.writeTerms("subscription.details_changed", log, event.id);
        return index;
      }
      case "ProvDetailsLog": {
        const { description, company, url, domain, email, misc } = event;
        const profile = cleanTexts({ description, company, url, domain, email, misc });
        this.write("provider.updated", log, { provider: getAddress(event.provider), profile });
        return index;
      }
      case "CallerLog":
        if (this.isWanted(log) && isLastCallerLog(this.logs, index))
          this.write("remit.settled", log, settledRemit(this.batch, { logs: this.logs, last: event, transactionHash }));
        return index;
      default:
        return index;
    }
  }

  private readSubLog(index: number, log: ChainLog, event: SubLog): number {
    switch (event.code) {
      case subLogCode.Create:
        this.known.create(event, null);
        this.writeTerms("subscription.created", log, event.id);
        return index;
      case subLogCode.Cancel:
        this.known.change(event.id, { cancelled: true });
        this.writeTerms("subscription.cancelled", log, event.id);
        return index;
      case subLogCode.Subscribed:
        this.write("subscription.subscribed", log, { ...this.parties(event), ...this.amount(event, event.amount) });
        return this.readCharge(index, event);
      case subLogCode.SubscriberPaid:
      case subLogCode.FeeFill:
        return this.readCharge(index, event);
      case subLogCode.Unsubscribed:
        return this.readLeaving(index, log, event);
      case subLogCode.ProviderRefund:
        this.writeRefund(log, event, "provider", toTokenUnits(event.amount, tokenOf(this.batch, event.token).decimals));
        return index;
      case subLogCode.Failed: {
        // FAILED itself logs 0.
        const unsubscribed = subLogAt(this.logs, index - 1, { ...event, code: subLogCode.Unsubscribed });
        const due = this.amount(event, unsubscribed?.amount ?? 0n);
        const day = coordinatesAt(this.logs, index + 1, event.id)?.nextUncheckedDay;
        const dayAndKeeper = this.dayAndKeeper(index, event, day);
        this.write("payment.failed", log, { ...this.parties(event), kind: "recurring", due, ...dayAndKeeper });
        return index;
      }
      default:
        return index;
    }
  }

  private readCharge(index: number, event: SubLog): number {
    const coordinates = coordinatesAt(this.logs, index - 1, event.id);
    const charge = chargeAt(this.logs, index, { event, frequency: this.known.frequencyOf(event.id, coordinates) });
    if (charge === null) return index;
    const { kind } = charge;
    const { decimals } = tokenOf(this.batch, event.token);
    // The two parts are separate transfers, and each is rounded on its own.
    const toProvider = toTokenUnits(charge.toProvider, decimals);
    const toFeeBalance = toTokenUnits(charge.toFeeBalance, decimals);
    this.write("payment.paid", this.at(charge.index), {
      ...this.parties(event),
      kind,
      charged: amountFields(toProvider + toFeeBalance, decimals),
      toProvider: amountFields(toProvider, decimals),
      toFeeBalance: amountFields(toFeeBalance, decimals),
      ...(kind === "initial"
        ? { dayNumber: dayNumber(event.timestamp) }
        : this.dayAndKeeper(index, event, coordinates?.nextUncheckedDay)),
    });
    return charge.end;
  }

  private readLeaving(index: number, log: ChainLog, event: SubLog): number {
    const reason = leavingReason(this.logs, index, event);
    const data = { ...this.parties(event), ...this.amount(event, event.amount), reason };
    this.write("subscription.unsubscribed", log, data);
    if (reason !== "provider" || !this.isWanted(log)) return index;
    const { contract } = this.batch;
    const refund = refundOfRemoval(receiptOf(this.batch, log.transactionHash), {
      contract,
      event,
      logIndex: log.logIndex,
    });
    this.writeRefund(log, event, "subscriber", refund);
    // SUBREFUND logs the subscription's amount, not that of the refund.
    return subLogAt(this.logs, index + 1, { ...event, code: subLogCode.SubscriberRefund }) === null ? index : index + 1;
  }

  private writeRefund(log: ChainLog, event: SubLog, to: "provider" | "subscriber", units: bigint): void {
    if (units === 0n) return;
    const refunded = amountFields(units, tokenOf(this.batch, event.token).decimals);
    this.write("payment.refunded", log, { ...this.parties(event), to, refunded });
  }

  private at(index: number): ChainLog {
    const log = this.logs[index];
    if (log === undefined) throw new RangeError(`the transaction has no log ${index}`);
    return log;
  }

  private parties({ id, provider, subscriber, token }: SubLog) {
    const info = tokenOf(this.batch, token);
    return {
      id,
      provider: getAddress(provider),
      subscriber: getAddress(subscriber),
      token: info.address,
      tokenSymbol: info.symbol,
    };
  }

  /** An amount of 18 decimals in the event's token. */
  private amount({ token }: SubLog, amount: bigint) {
    const { decimals } = tokenOf(this.batch, token);
    return amountFields(toTokenUnits(amount, decimals), decimals);
  }

  private dayAndKeeper(index: number, event: SubLog, day: number | undefined) {
    const caller = callerLogAfter(this.logs, index)?.caller;
    return {
      dayNumber: day ?? dayNumber(event.timestamp),
      ...(caller !== undefined && { keeper: getAddress(caller) }),
    };
  }

  private writeTerms(type: TermsEventType, log: ChainLog, id: Hex): void {
    const terms = this.known.termsOf(id);
    if (terms !== null) this.write(type, log, terms);
  }

  private isWanted({ event, blockNumber }: ChainLog): boolean {
    const { since, blocks } = this.batch;
    // Only Coordinates has no timestamp, and no event takes its time from it.
    if (event.event === "Coordinates" || event.timestamp < since) return false;
    return blocks === undefined || blocks.has(blockNumber);
  }

  private write<T extends ChainEventType>(type: T, log: ChainLog, data: EventData<T>): void {
    const { chainId } = this.batch;
    const { blockNumber, blockHash, logIndex, transactionHash } = log;
    if (log.event.event === "Coordinates" || !this.isWanted(log)) return;
    const { timestamp } = log.event;
    const finality = finalityOf(blockNumber, this.batch.finality);
    const event = {
      id: logEventId(chainId, { blockHash, logIndex, type }),
      type,
      chainId,
      timestamp: timestampToIso(timestamp) ?? "",
      block: { number: String(blockNumber), hash: blockHash, timestamp, finality, finalized: finality === "finalized" },
      transactionHash,
      data,
    };
    // `data` is of `type`, which the union can't see through the parameter.
    this.events.push(event as NewDomainEvent);
  }
}
