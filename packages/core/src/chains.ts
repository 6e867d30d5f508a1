import { type Address, getAddress } from "viem";

/** A chain with built-in settings. Settings of the environment may override every field but `chainId`. */
export type ChainDefaults = {
  chainId: number;
  name: string;
  contract: Address;
  /** First block that can hold an event of the contract. */
  startBlock: bigint;
  /** Tokens to read `approvedERC20` for: approving a token emits no event. */
  tokens: readonly Address[];
  rpcUrls: readonly string[];
  /** Age at which a block counts as final where the node does not know the tag `finalized`. */
  finalitySeconds: number;
  /** How far a block's time may lie ahead of the clock of this machine. */
  maxClockAheadSeconds: number;
  /** Base URL of a block explorer with the paths /block, /tx and /address. */
  explorerUrl: string;
};

/** The default chain of REST and MCP. */
export const DEFAULT_CHAIN_ID = 8453;

/** The keeper that plans are computed for, unless another is given: an unused address without tokens. */
export const PLAN_CALLER = getAddress("0x00000000000000000000000000000000d0edA700");

/** Built-in chains by id (protocol, first table). */
export const chainDefaults: Readonly<Record<number, ChainDefaults>> = {
  8453: {
    chainId: 8453,
    name: "Base",
    contract: getAddress("0xFaF5fc2f77b21BC188f492b827D366B03a07c61f"),
    startBlock: 32427185n,
    tokens: [getAddress("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")],
    rpcUrls: ["https://mainnet.base.org"],
    finalitySeconds: 1_800,
    maxClockAheadSeconds: 86_400,
    explorerUrl: "https://basescan.org",
  },
  84532: {
    chainId: 84532,
    name: "Base Sepolia",
    contract: getAddress("0x6A0791Cd884f2199dC8F372f6715f675D2950922"),
    startBlock: 26042632n,
    tokens: [],
    rpcUrls: ["https://sepolia.base.org"],
    finalitySeconds: 1_800,
    maxClockAheadSeconds: 86_400,
    explorerUrl: "https://sepolia.basescan.org",
  },
};

/** Gas that one transaction may have by EIP-7825. */
const EIP_7825_GAS_CAP = 2n ** 24n;
/** Base and Base Sepolia, and the ids that development nodes use: transactions that work there have to work on Base. */
const CAPPED_CHAINS: ReadonlySet<number> = new Set([8453, 84532, 31337, 1337]);

/** The most gas that one transaction may have on a chain without a setting; null where only the block limits it. */
export function defaultTxGasCap(chainId: number): bigint | null {
  return CAPPED_CHAINS.has(chainId) ? EIP_7825_GAS_CAP : null;
}

/** CAIP-2 name of an EVM chain, e.g. `eip155:8453`. */
export function caip2(chainId: number): string {
  return `eip155:${chainId}`;
}

const CHAIN_ID = /^(?:eip155:)?([1-9][0-9]{0,15})$/;

/**
 * Reads a chain id in decimal or CAIP-2 form. Leading zeros, signs, hexadecimal, upper-case `EIP155` and an empty text are
 * malformed and give null, as does a number above 2^53 - 1.
 */
export function parseChainId(text: string): number | null {
  const digits = CHAIN_ID.exec(text)?.[1];
  if (digits === undefined) return null;
  const chainId = Number(digits);
  return Number.isSafeInteger(chainId) ? chainId : null;
}
