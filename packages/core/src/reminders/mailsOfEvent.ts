import type { Hex } from "viem";
import { dayToDate } from "../calendar/dates";
import type { DomainEvent } from "../domainEvents/domainEvent";
import { toLowerCase } from "../text/toLowerCase";
import type { MailFacts } from "./mailFacts";
import type { ReminderKind } from "./reminderKind";

/** A mail for an event of the chain, sent if the account has a mailbox that wants it. */
export type EventMail = {
  account: Hex;
  /** The kind of reminder that has to be switched on. */
  wants: ReminderKind;
  /** Identifies what the mail is about: the same text if the event returns after a reorganisation. */
  subject: string;
  facts: MailFacts;
};

/**
 * The mails to payers and sellers for an event.
 *
 * @param members active subscribers of the plan, where the event concerns the whole plan
 */
export function mailsOfEvent(event: DomainEvent, members: readonly Hex[]): EventMail[] {
  const { type, data, chainId } = event;
  const happenedOn = event.timestamp.slice(0, "2026-11-24".length);
  const transactionHash = toLowerCase(event.transactionHash ?? "0x");
  switch (type) {
    case "payment.paid": {
      const plan = toLowerCase(data.id);
      const isInitial = data.kind === "initial";
      const charged = { amount: data.charged.amount, symbol: data.tokenSymbol };
      // A day has one recurring charge of a plan, but several initial ones if the account leaves and joins again on
      // that day.
      const subject = `${chainId} receipt ${plan} ${isInitial ? transactionHash : data.dayNumber}`;
      const facts = { kind: "receipt", plan, date: happenedOn, charged, isInitial, transactionHash } as const;
      return [{ account: toLowerCase(data.subscriber), wants: "receipt", subject, facts }];
    }
    case "payment.failed": {
      const plan = toLowerCase(data.id);
      const date = dayToDate(data.dayNumber) ?? happenedOn;
      const due = { amount: data.due.amount, symbol: data.tokenSymbol };
      const subject = `${chainId} failed ${plan} ${data.dayNumber}`;
      return [
        { account: toLowerCase(data.subscriber), wants: "failed", subject, facts: { kind: "failed", plan, date, due } },
        ofSeller(data, "subscriber_failed", { kind: "lost", date }, `${chainId} lost ${data.dayNumber}`),
      ];
    }
    case "subscription.subscribed":
      return [
        ofSeller(data, "subscriber_new", { kind: "joined", date: happenedOn }, `${chainId} joined ${transactionHash}`),
      ];
    case "subscription.unsubscribed": {
      const plan = toLowerCase(data.id);
      const date = happenedOn;
      // A failure has its own mails.
      if (data.reason === "failure") return [];
      if (data.reason === "subscriber")
        return [ofSeller(data, "subscriber_left", { kind: "left", date }, `${chainId} left ${transactionHash}`)];
      const subject = `${chainId} ended ${plan} ${transactionHash}`;
      const facts = { kind: "ended", plan, date, by: "removed" } as const;
      return [
        { account: toLowerCase(data.subscriber), wants: "failed", subject, facts },
        ofSeller(data, "subscriber_removed", { kind: "removed", date }, `${chainId} removed ${transactionHash}`),
      ];
    }
    case "subscription.cancelled": {
      const plan = toLowerCase(data.id);
      const facts = { kind: "ended", plan, date: happenedOn, by: "cancelled" } as const;
      const subject = cancelledSubject(chainId, plan);
      return members.map((account) => ({ account, wants: "failed", subject, facts }));
    }
    default:
      return [];
  }
}

/** A mail to the seller about one of its subscribers. */
function ofSeller(
  data: { id: string; provider: string; subscriber: string },
  wants: ReminderKind,
  { kind, date }: { kind: "joined" | "left" | "lost" | "removed"; date: string },
  subject: string,
): EventMail {
  const [plan, subscriber] = [toLowerCase(data.id), toLowerCase(data.subscriber)];
  const facts = { kind, plan, date, subscriber };
  return { account: toLowerCase(data.provider), wants, subject: `${subject} ${plan} ${subscriber}`, facts };
}

/** The `subject` of a mail about a plan that its seller cancelled. */
export function cancelledSubject(chainId: number, plan: string): string {
  return `${chainId} cancelled ${plan.toLowerCase()}`;
}
