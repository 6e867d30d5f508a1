import type { Frequency } from "@dueday/core/calendar/frequency";
import type { Checkpoint } from "@dueday/core/remit/state";
import type { Scenario } from "@dueday/devnet/replay/scenario";

/** The whole state of the protocol and its tokens while a recorded history is applied. Accounts, tokens and ids are names. */
export type History = {
  today: number;
  nextUncheckedDay: number;
  maxRemits: number;
  cancelLimit: number;
  callerFee: bigint;
  systemFee: bigint;
  systemFeeActive: boolean;
  checkpoint: Checkpoint | null;
  tokens: Map<string, Token>;
  subscriptions: Map<string, Subscription>;
  /** By `dueKey`, in set order. */
  dueLists: Map<number, string[]>;
  /** Ids in the order of first subscribing, by account. */
  subscribedTo: Map<string, string[]>;
};

export type Token = {
  decimals: number;
  minimum: bigint;
  approved: boolean;
  paused: boolean;
  balances: Map<string, bigint>;
  /** What the protocol may take. */
  allowances: Map<string, bigint>;
  blocked: Set<string>;
};

export type Subscription = {
  id: string;
  amount: bigint;
  provider: string;
  token: string;
  cancelled: boolean;
  frequency: Frequency;
  dueDay: number;
  subscribers: string[];
  unsubscribed: string[];
  feeBalances: Map<string, bigint>;
  statuses: Map<string, number>;
};

export const status = { ACTIVE: 0, CANCELLED: 1, UNSUBSCRIBED: 2 } as const;

/** A recorded history at its start. */
export function startHistory({ start, config, tokens }: Scenario): History {
  const today = Math.floor(start / 86_400);
  return {
    today,
    nextUncheckedDay: today - 2,
    maxRemits: Number(config.maxRemits),
    cancelLimit: Number(config.cancelLimit),
    callerFee: BigInt(config.callerFee),
    systemFee: BigInt(config.systemFee),
    systemFeeActive: config.allowSystemFee,
    checkpoint: null,
    tokens: new Map(
      Object.entries(tokens).map(([name, { decimals, minimum, approved }]) => [
        name,
        {
          decimals,
          minimum: BigInt(minimum),
          approved,
          paused: false,
          balances: new Map(),
          allowances: new Map(),
          blocked: new Set(),
        },
      ]),
    ),
    subscriptions: new Map(),
    dueLists: new Map(),
    subscribedTo: new Map(),
  };
}
