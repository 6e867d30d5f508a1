import type { Address, Hex } from "viem";

/** The `Subscription` argument of the contract's writes. The contract loads all but `id` from its storage. */
export type SubscriptionArgument = {
  id: Hex;
  /** 18 decimals */
  amount: bigint;
  provider: Address;
  token: Address;
  cancelled: boolean;
  frequency: number;
  dueDay: number;
};

/** The `Details` argument of createSubscription and editDetails. */
export type DetailsArgument = { url: string; description: string };
