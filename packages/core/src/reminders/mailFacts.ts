import type { Hex } from "viem";

/** An amount as mails show it: whole tokens, and the token's symbol, which is untrusted text. */
export type MailAmount = { amount: string; symbol: string };

/** The plan that a mail is about; its name and its seller's are read when the mail is written. */
type OfPlan = { plan: Hex };

/** What happened on the chain, and can be taken back by a reorganisation. Dates are `YYYY-MM-DD`. */
export type HappenedFacts =
  | (OfPlan & { kind: "failed"; date: string; due: MailAmount })
  /** `cancelled`: the seller ended the whole plan; `removed`: it removed this payer. */
  | (OfPlan & { kind: "ended"; date: string; by: "cancelled" | "removed" })
  | (OfPlan & { kind: "receipt"; date: string; charged: MailAmount; isInitial: boolean; transactionHash: Hex })
  /** For the seller; `lost`: a charge of the subscriber failed. */
  | (OfPlan & { kind: "joined" | "left" | "lost" | "removed"; date: string; subscriber: Hex });

/** What a mail is about, as the database keeps it until the mail is written. It holds no mailbox. */
export type MailFacts =
  | { kind: "confirmation"; confirmationId: string }
  | (OfPlan & {
      kind: "will_fail";
      date: string;
      due: MailAmount;
      shortfall: MailAmount;
      lacks: "allowance" | "balance";
      /** Days from the day on which the mail was made to the due date; negative where that has passed. */
      daysLeft: number;
      /** The due date as a day number. */
      dayNumber: number;
      /** Number of the block whose forecast has the failure. */
      block: number;
    })
  | (OfPlan & { kind: "cured"; date: string; due: MailAmount })
  | (OfPlan & { kind: "coming"; date: string; due: MailAmount })
  /** For the seller: how many charges of a plan will fail on one due date, and their sum. */
  | (OfPlan & { kind: "at_risk"; date: string; payers: number; due: MailAmount })
  /** For the seller: a week from Monday to Sunday, by token. */
  | {
      kind: "week";
      from: string;
      to: string;
      tokens: (MailAmount & { failed: string; payments: number; failures: number })[];
      subscribers: number;
    }
  | HappenedFacts
  | { kind: "correction"; of: HappenedFacts }
  | { kind: "digest" };
