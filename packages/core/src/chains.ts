import { type Address, getAddress } from "viem";

/** A chain with built-in settings. Settings of the environment may override every field but `chainId`. */
export type ChainDefaults = {
  chainId: number;
  name: string;
  contract: Address;
  /** First block that can hold an event of the contract; absent where it has to be configured. */
  startBlock?: bigint;
  /** Tokens to read `approvedERC20` for: approving a token emits no event. */
  tokens: readonly Address[];
  rpcUrls: readonly string[];
  /** Blocks after which a log is final. */
  finalityBlocks: number;
  /** How far a block's time may lie ahead of the clock of this machine. */
  maxClockAheadSeconds: number;
};

/** The default chain of REST and MCP. */
export const DEFAULT_CHAIN_ID = 8453;

/** Built-in chains by id (protocol, first table). */
export const chainDefaults: Readonly<Record<number, ChainDefaults>> = {
  8453: {
    chainId: 8453,
    name: "Base",
    contract: getAddress("0xFaF5fc2f77b21BC188f492b827D366B03a07c61f"),
    startBlock: 32427185n,
    tokens: [getAddress("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")],
    rpcUrls: ["https://mainnet.base.org"],
    finalityBlocks: 600,
    maxClockAheadSeconds: 86_400,
  },
  84532: {
    chainId: 84532,
    name: "Base Sepolia",
    contract: getAddress("0x6A0791Cd884f2199dC8F372f6715f675D2950922"),
    tokens: [],
    rpcUrls: ["https://sepolia.base.org"],
    finalityBlocks: 600,
    maxClockAheadSeconds: 86_400,
  },
};

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
