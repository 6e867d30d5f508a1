import type { Hex } from "viem";

/** One of the protocol's six events (protocol part 2), decoded. Hex is lower case; amounts have 18 decimals. */
export type ProtocolEvent = SubLog | DetailsLog | ProviderDetailsLog | CallerLog | CoordinatesLog | UListLog;

export type SubLog = {
  event: "SubLog";
  id: Hex;
  provider: Hex;
  /** The zero address for Create and Cancel. */
  subscriber: Hex;
  /** Unix seconds, a uint40. */
  timestamp: number;
  amount: bigint;
  token: Hex;
  /** SubscriptEvent, 0..9. */
  code: number;
};

export type DetailsLog = {
  event: "DetailsLog";
  id: Hex;
  provider: Hex;
  timestamp: number;
  url: string;
  description: string;
};

export type ProviderDetailsLog = {
  event: "ProvDetailsLog";
  provider: Hex;
  timestamp: number;
  description: string;
  company: string;
  url: string;
  domain: string;
  email: string;
  misc: string;
};

export type CallerLog = { event: "CallerLog"; timestamp: number; checkedDay: number; caller: Hex; isFinished: boolean };

export type CoordinatesLog = {
  event: "Coordinates";
  id: Hex;
  subscriberIndex: bigint;
  subscriptionIndex: bigint;
  frequency: bigint;
  nextUncheckedDay: number;
};

export type UListLog = { event: "UList"; timestamp: number; id: Hex; subscriber: Hex };
