import type { HappenedFacts, MailFacts } from "@dueday/core/reminders/mailFacts";
import { renderLetter } from "@dueday/worker/reminders/renderLetter";
import { writeLetter } from "@dueday/worker/reminders/writeLetter";
import type { Hex } from "viem";

const CHAIN_ID = 31_337;
const SCOPE = { chainId: CHAIN_ID, contract: "" };
const PLAN: Hex = `0x${"a1".repeat(32)}`;
const SELLER: Hex = `0x${"51".repeat(20)}`;
const PAYER: Hex = `0x${"b2".repeat(20)}`;
const LINK = "https://dueday.example/mail/unsubscribe?token=sample";

const due = { amount: "12.5", symbol: "USDC" };
const ofPlan = { plan: PLAN, date: "2026-12-01", due };
const warning = {
  ...ofPlan,
  kind: "will_fail",
  shortfall: { amount: "2.5", symbol: "USDC" },
  dayNumber: 0,
  block: 0,
} as const;
const receipt: HappenedFacts = {
  kind: "receipt",
  plan: PLAN,
  date: "2026-11-24",
  charged: due,
  isInitial: true,
  transactionHash: `0x${"c3".repeat(32)}`,
};
const ofSubscriber = { plan: PLAN, date: "2026-11-24", subscriber: PAYER };

/** At least one mail of each kind. */
const samples: readonly MailFacts[] = [
  { kind: "confirmation", confirmationId: "sample" },
  { ...warning, lacks: "allowance", daysLeft: 7 },
  { ...warning, lacks: "balance", daysLeft: 2 },
  { ...ofPlan, kind: "cured" },
  { ...ofPlan, kind: "coming" },
  { ...ofPlan, kind: "failed" },
  { kind: "ended", plan: PLAN, date: "2026-11-24", by: "cancelled" },
  { kind: "ended", plan: PLAN, date: "2026-11-24", by: "removed" },
  receipt,
  { kind: "correction", of: receipt },
  { kind: "joined", ...ofSubscriber },
  { kind: "left", ...ofSubscriber },
  { kind: "lost", ...ofSubscriber },
  { kind: "removed", ...ofSubscriber },
  { ...ofPlan, kind: "at_risk", payers: 3 },
  {
    kind: "week",
    from: "2026-11-16",
    to: "2026-11-22",
    tokens: [{ amount: "1250", symbol: "USDC", failed: "25", payments: 100, failures: 2 }],
    subscribers: 98,
  },
  { kind: "digest" },
];

/** Every kind of mail, with sample names. The plan's description contains HTML, to see that it stays text. */
export function sampleMails(): { subject: string; text: string; html: string; about: string }[] {
  const names = {
    plans: new Map([
      [
        PLAN,
        {
          provider: SELLER,
          description: "Reader's club <b>www.evil.example</b>",
          amount: 12_500_000_000_000_000_000n,
          frequency: 1,
          token: { symbol: "USDC", decimals: 6 },
        },
      ],
    ]),
    sellers: new Map([[SELLER, { company: "Club of readers", verifiedDomain: "reader.example" }]]),
  };
  return samples.map((facts) => {
    const letter = writeLetter(facts, facts.kind === "confirmation" ? null : CHAIN_ID, {
      account: PAYER,
      publicUrl: "https://dueday.example",
      confirmUrl: () => "https://dueday.example/mail/confirm?token=sample",
      names: new Map([[CHAIN_ID, names]]),
      collected: [receipt, { ...ofPlan, kind: "coming" } as const].map((each) => ({ facts: each, scope: SCOPE })),
    });
    const footer = {
      reason: "Dueday sends you this because an account for which you confirmed this mailbox asks for it.",
      unsubscribeUrl: LINK,
    };
    return { subject: letter.subject, ...renderLetter(letter, footer), about: facts.kind };
  });
}
