import { planName } from "@dueday/core/amounts/planName";
import type { MailAmount, MailFacts } from "@dueday/core/reminders/mailFacts";
import { sellerOf } from "@dueday/core/schemas/seller";
import { inertText } from "@dueday/core/text/inertText";
import type { StoredNames } from "@dueday/db/history/readNames";
import type { CollectedMail } from "@dueday/db/reminders/leaseMails";
import { getAddress, type Hex } from "viem";
import type { Letter, LetterPart } from "./renderLetter";

/** What a letter is written with, besides its facts. */
export type LetterContext = {
  account: Hex;
  /** Base URL of the service's pages, without a slash at its end. */
  publicUrl: string;
  /** Link of a confirmation. */
  confirmUrl: (confirmationId: string) => string;
  /** Names of the plans of a chain, as far as they are known. */
  names: ReadonlyMap<number, StoredNames>;
  /** The mails that a digest collects. */
  collected: readonly CollectedMail[];
};

/** Facts about a plan. */
type PlanFacts = Exclude<MailFacts, { kind: "confirmation" | "digest" | "correction" | "week" }>;

/** Writes the letter of a mail. @param chainId of the mail; null where it is of no chain */
export function writeLetter(facts: MailFacts, chainId: number | null, context: LetterContext): Letter {
  const { account, confirmUrl, collected } = context;
  if (facts.kind === "confirmation") {
    return {
      subject: "Confirm your mailbox for reminders of Dueday",
      parts: [
        `The account ${getAddress(account)} asks to be reminded of its payments at this mailbox. If this is your account, confirm within 24 hours:`,
        { link: "Confirm the mailbox", url: confirmUrl(facts.confirmationId) },
        "If you did not ask for this, do nothing: without a confirmation, no reminder is sent.",
      ],
    };
  }
  if (facts.kind === "digest") {
    const lines = collected.flatMap(({ facts: each, scope }) => linesOf(each, scope.chainId, context));
    return {
      subject: `${countOf(collected.length, "more reminder")} of yesterday`,
      parts: [
        "Yesterday there were more reminders than are mailed one by one on a day. The others are:",
        ...lines,
        accountLink(null, context),
      ],
    };
  }
  if (facts.kind === "correction") {
    const taken = describe(facts.of, nameOf(facts.of, chainId, context));
    return {
      subject: `Correction: ${taken.subject}`,
      parts: [
        "The blockchain was reorganised after one of our mails about this plan, and what that mail said did not happen in the end:",
        { facts: taken.facts },
        "If it happens again, another mail follows.",
        taken.isOfSeller ? sellerLink(chainId, context) : accountLink(chainId, context),
      ],
    };
  }
  if (facts.kind === "week")
    return { subject: weekSubject(facts), parts: [...weekLines(facts), sellerLink(chainId, context)] };
  const { subject, lead, facts: rows, link, isOfPlan, isOfSeller } = describe(facts, nameOf(facts, chainId, context));
  const place = isOfSeller
    ? sellerLink(chainId, context)
    : isOfPlan
      ? planLink(facts.plan, chainId, context)
      : accountLink(chainId, context, link);
  return { subject, parts: [lead, { facts: rows }, place] };
}

function linesOf(facts: MailFacts, chainId: number, context: LetterContext): LetterPart[] {
  if (facts.kind === "confirmation" || facts.kind === "digest") return [];
  if (facts.kind === "week") return [weekSubject(facts), ...weekLines(facts)];
  const happened = facts.kind === "correction" ? facts.of : facts;
  const { subject, facts: rows } = describe(happened, nameOf(happened, chainId, context));
  return [facts.kind === "correction" ? `Correction: ${subject}` : subject, { facts: rows }];
}

type Names = { plan: string; seller: string };
type Described = {
  subject: string;
  lead: string;
  facts: readonly (readonly [string, string])[];
  link?: string;
  /** The problem is repaired on the plan's page. Default: on the page of what the account pays, or of what it sells. */
  isOfPlan?: true;
  isOfSeller?: true;
};

/** The words of a mail about a plan. */
function describe(facts: PlanFacts, { plan, seller }: Names): Described {
  const of = [
    ["Plan, in the seller's words", plan],
    ["Seller", seller],
  ] as const;
  const date = longDate(facts.date);
  switch (facts.kind) {
    case "will_fail": {
      const due = amountText(facts.due);
      const lack =
        facts.lacks === "balance"
          ? "the balance of your account is too low"
          : "your approval for the protocol does not cover it";
      return {
        subject: facts.daysLeft < 0 ? `A payment of ${plan} will fail` : `A payment of ${plan} will fail on ${date}`,
        lead: `The charge of ${due} that is due on ${date} will fail: ${lack}. A failed charge ends the subscription.`,
        facts: [...of, ["Charge", due], ["Due", date], ["Missing", amountText(facts.shortfall)]],
        link: "Repair it",
      };
    }
    case "cured":
      return {
        subject: `The payment of ${plan} will not fail`,
        lead: `The charge of ${amountText(facts.due)} on ${date}, about which we warned you, is not expected to fail any more. You need to do nothing.`,
        facts: [...of, ["Charge", amountText(facts.due)], ["Due", date]],
      };
    case "coming":
      return {
        subject: `${plan} is charged on ${date}`,
        lead: `${amountText(facts.due)} will be charged on ${date}.`,
        facts: [...of, ["Charge", amountText(facts.due)], ["Due", date]],
      };
    case "failed":
      return {
        subject: `A payment of ${plan} failed`,
        lead: `The charge of ${amountText(facts.due)} that was due on ${date} failed, which ended the subscription. To go on, subscribe again.`,
        facts: [...of, ["Charge", amountText(facts.due)], ["Due", date]],
        isOfPlan: true,
      };
    case "ended":
      return {
        subject: `${plan} has ended`,
        lead:
          facts.by === "cancelled"
            ? `The seller ended this plan on ${date}. Nothing more is charged for it.`
            : `The seller ended your subscription on ${date}. Nothing more is charged for it.`,
        facts: [...of, ["Ended", date]],
      };
    case "at_risk": {
      const due = amountText(facts.due);
      return {
        subject: `${countOf(facts.payers, "payment")} of ${plan}, due on ${date}, will fail`,
        lead: `${countOf(facts.payers, "charge")} of your plan, ${due} together, due on ${date}, will fail: balances or approvals are too low. A failed charge ends the subscription.`,
        facts: [
          ["Plan", plan],
          ["Subscribers", String(facts.payers)],
          ["Charges", due],
          ["Due", date],
        ],
        isOfSeller: true,
      };
    }
    case "joined":
    case "left":
    case "lost":
    case "removed": {
      const { subject, lead } = SUBSCRIBER_WORDS[facts.kind](plan, date);
      const rows = [
        ["Plan", plan],
        ["Subscriber", getAddress(facts.subscriber)],
        ["Date", date],
      ] as const;
      return { subject, lead, facts: rows, isOfSeller: true };
    }
    case "receipt":
      return {
        subject: `Receipt: ${amountText(facts.charged)} for ${plan}`,
        lead: `${amountText(facts.charged)} was paid on ${date}${facts.isInitial ? ", the first charge of this plan" : ""}.`,
        facts: [...of, ["Paid", amountText(facts.charged)], ["Date", date], ["Transaction", facts.transactionHash]],
      };
  }
}

type SubscriberKind = Extract<PlanFacts, { subscriber: Hex }>["kind"];

const SUBSCRIBER_WORDS: Record<SubscriberKind, (plan: string, date: string) => { subject: string; lead: string }> = {
  joined: (plan, date) => ({
    subject: `New subscriber of ${plan}`,
    lead: `A payer subscribed to your plan on ${date}.`,
  }),
  left: (plan, date) => ({
    subject: `A subscriber left ${plan}`,
    lead: `A subscriber of your plan left it on ${date}.`,
  }),
  lost: (plan, date) => ({
    subject: `A payment for ${plan} failed`,
    lead: `The charge of a subscriber that was due on ${date} failed, which ended the subscription.`,
  }),
  removed: (plan, date) => ({
    subject: `A subscriber was removed from ${plan}`,
    lead: `You, or the protocol after you ended the plan, removed a subscriber on ${date}.`,
  }),
};

type WeekFacts = Extract<MailFacts, { kind: "week" }>;

function weekSubject({ from, to }: WeekFacts): string {
  return `Your week from ${longDate(from)} to ${longDate(to)}`;
}

function weekLines({ tokens, subscribers }: WeekFacts): LetterPart[] {
  const received = tokens.flatMap(({ symbol, amount, failed, payments, failures }) => [
    [`Received, ${countOf(payments, "payment")}`, amountText({ amount, symbol })] as const,
    ...(failures === 0
      ? []
      : [[`Failed, ${countOf(failures, "payment")}`, amountText({ amount: failed, symbol })] as const]),
  ]);
  const lead = tokens.length === 0 ? "There were no payments to you in this week." : "Payments to you in this week:";
  return [lead, { facts: [...received, ["Active subscribers now", String(subscribers)]] }];
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Names are the sellers' own texts, except for a verified domain. */
function nameOf({ plan: id }: PlanFacts, chainId: number | null, { names }: LetterContext): Names {
  const known = chainId === null ? undefined : names.get(chainId);
  const named = known?.plans.get(id);
  if (named === undefined) return { plan: `plan ${id.slice(0, 10)}…`, seller: "not known" };
  const { name, verified } = sellerOf(known?.sellers.get(named.provider) ?? { company: null, verifiedDomain: null });
  const address = getAddress(named.provider);
  const plan = `“${inertText(planName(named))}”`;
  if (name === null) return { plan, seller: address };
  return {
    plan,
    seller: verified ? `${inertText(name)} (verified), ${address}` : `“${inertText(name)}” (not verified), ${address}`,
  };
}

function amountText({ amount, symbol }: MailAmount): string {
  return `${amount} ${inertText(symbol)}`;
}

const LONG_DATE = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** `2026-11-24` as "Tuesday, 24 November 2026 (UTC)". */
function longDate(date: string): string {
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) ? date : `${LONG_DATE.format(time)} (UTC)`;
}

function sellerLink(chainId: number | null, { publicUrl, account }: LetterContext): LetterPart {
  const chain = chainId === null ? "" : `?chainId=${chainId}`;
  return { link: "See your subscribers", url: `${publicUrl}/app/providers/${getAddress(account)}${chain}` };
}

function planLink(id: Hex, chainId: number | null, { publicUrl }: LetterContext): LetterPart {
  const chain = chainId === null ? "" : `?chainId=${chainId}`;
  return { link: "Subscribe again", url: `${publicUrl}/app/subscriptions/${id}${chain}` };
}

function accountLink(
  chainId: number | null,
  { publicUrl, account }: LetterContext,
  link = "See your subscriptions",
): LetterPart {
  const chain = chainId === null ? "" : `&chainId=${chainId}`;
  return { link, url: `${publicUrl}/app/my?account=${getAddress(account)}${chain}` };
}
