import type { Hex } from "viem";
import { dayToDate } from "../calendar/dates";
import type { DomainEvent } from "../domainEvents/domainEvent";
import { toLowerCase } from "../text/toLowerCase";
import type { MailFacts } from "./mailFacts";
import type { ReminderKind } from "./reminderKind";

/** A mail that an event of the chain asks for, where its account has a mailbox that wants it. */
export type EventMail = {
  account: Hex;
  /** The switch that allows it. */
  wants: ReminderKind;
  /** What it is about: the same for the same thing after a reorganisation. */
  subject: string;
  facts: MailFacts;
};

/**
 * The mails to payers that an event asks for.
 *
 * @param members active subscribers of the plan, where the event is of the whole plan
 */
export function mailsOfEvent(event: DomainEvent, members: readonly Hex[]): EventMail[] {
  const { type, data } = event;
  const happenedOn = event.timestamp.slice(0, "2026-11-24".length);
  const transactionHash = toLowerCase(event.transactionHash ?? "0x");
  switch (type) {
    case "payment.paid": {
      const plan = toLowerCase(data.id);
      const isInitial = data.kind === "initial";
      const charged = { amount: data.charged.amount, symbol: data.tokenSymbol };
      // A day has one recurring charge of a plan; who leaves and joins again on one day has several initial ones.
      const subject = `receipt ${plan} ${isInitial ? transactionHash : data.dayNumber}`;
      const facts = { kind: "receipt", plan, date: happenedOn, charged, isInitial, transactionHash } as const;
      return [{ account: toLowerCase(data.subscriber), wants: "receipt", subject, facts }];
    }
    case "payment.failed": {
      const plan = toLowerCase(data.id);
      const due = { amount: data.due.amount, symbol: data.tokenSymbol };
      const facts = { kind: "failed", plan, date: dayToDate(data.dayNumber) ?? happenedOn, due } as const;
      return [
        { account: toLowerCase(data.subscriber), wants: "failed", subject: `failed ${plan} ${data.dayNumber}`, facts },
      ];
    }
    case "subscription.unsubscribed": {
      // Who leaves knows it, and a failure has its own mail.
      if (data.reason !== "provider") return [];
      const plan = toLowerCase(data.id);
      const facts = { kind: "ended", plan, date: happenedOn, by: "removed" } as const;
      return [
        {
          account: toLowerCase(data.subscriber),
          wants: "failed",
          subject: `removed ${plan} ${transactionHash}`,
          facts,
        },
      ];
    }
    case "subscription.cancelled": {
      const plan = toLowerCase(data.id);
      const facts = { kind: "ended", plan, date: happenedOn, by: "cancelled" } as const;
      return members.map((account) => ({ account, wants: "failed", subject: cancelledSubject(plan), facts }));
    }
    default:
      return [];
  }
}

/** What a mail about a plan that its seller ended is about. */
export function cancelledSubject(plan: string): string {
  return `cancelled ${plan.toLowerCase()}`;
}
