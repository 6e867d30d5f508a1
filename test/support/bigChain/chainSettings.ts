import type { Address } from "viem";

/** What the chain has beside its book: the contract's settings and its one token. Fees as the contract has them: 10000 + basis points. */
export type ChainSettings = {
  chainId: number;
  contract: Address;
  admin: Address;
  callerFee: bigint;
  systemFee: bigint;
  maxRemits: number;
  cancelLimit: bigint;
  nextUncheckedDay: number;
  token: {
    address: Address;
    name: string;
    symbol: string;
    decimals: number;
    /** 18 decimals. */
    minimum: bigint;
    /** Of the contract and others that are not subscribers, by address in lower case; token units. */
    balances: ReadonlyMap<string, bigint>;
  };
  /** Ids that one call of getIdByTime can read: geth gives it 50 million gas. */
  longestList: number;
};
