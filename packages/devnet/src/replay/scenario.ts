/**
 * A recorded history of the deployed protocol (protocol part 6). Accounts, tokens and subscriptions are referred to by name;
 * `zero` and `protocol` are names too. Amounts are decimal strings, times are unix seconds.
 */
export type Scenario = {
  scenario: number;
  start: number;
  config: { callerFee: string; systemFee: string; maxRemits: string; cancelLimit: string; allowSystemFee: boolean };
  tokens: Record<string, { decimals: number; minimum: string; approved: boolean }>;
  accounts: string[];
  steps: Step[];
  final: FinalState;
};

export type Step = FundStep | BlockStep | WarpStep | PlanStep | CallStep;

/** Balance and allowance in token units. */
export type FundStep = { op: "fund"; who: string; token: string; balance: string; allowance: string };
export type BlockStep = { op: "block"; who: string; token: string; blocked: boolean };
export type WarpStep = { op: "warp"; days: number; at: number };

/** Effect of calling remit() as `keeper` every 12 s from this state until a call reverts with code `stop`. */
export type PlanStep = {
  op: "plan";
  at: number;
  today: number;
  nextUncheckedDay: number;
  stop: string;
  dueSubscriptions: number;
  transactions: PlannedTransaction[];
};

export type PlannedTransaction = {
  days: { day: number; finished: boolean }[];
  payments: number;
  failures: number;
  /** Token units by token name. */
  callerFees: Record<string, string>;
  gasUsed: number;
};

/** A call of the protocol: `logs` if it succeeded, `revert` if it did not. */
export type CallStep = ProtocolCall & { by: string; at: number } & (
    | { ok: true; logs: RecordedLog[]; gasUsed: number }
    | { ok: false; revert: string }
  );

export type ProtocolCall =
  | {
      op: "createSubscription";
      token: string;
      amount: string;
      url: string;
      description: string;
      frequency: number;
      dueDay: number;
      as?: string;
    }
  | { op: "subscribe" | "unsubscribe" | "cancelSubscription"; sub: string }
  | { op: "cleanupCancelledSubscribers" | "cleanUnsubscribeList"; sub: string }
  | { op: "unsubscribeByProvider"; sub: string; subscriber: string }
  | { op: "editDetails"; sub: string; url: string; description: string }
  | { op: "pauseToken"; token: string; pause: boolean }
  | { op: "remit" };

/** An event by name with its arguments by name, without timestamps. */
export type RecordedLog = { event: string } & Record<string, string | number | boolean>;

export type FinalState = {
  nextUncheckedDay: number;
  subscriptions: Record<string, FinalSubscription>;
  accounts: Record<string, { subscribedTo: AccountRow[]; created: AccountRow[] }>;
  /** Token units by token and account; without zero balances. */
  balances: Record<string, Record<string, string>>;
};

export type Reverted = { revert: true };
export type AccountRow = { sub: string; status: number; totalSubscribers: number };
export type FinalSubscription = {
  amount: string;
  provider: string;
  token: string;
  cancelled: boolean;
  frequency: number;
  dueDay: number;
  subscribers: { subscriber: string; feeBalance: string }[] | Reverted;
  due: string[] | Reverted;
};
