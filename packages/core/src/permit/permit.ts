import { type Address, type Hex, hashTypedData } from "viem";
import { DAY_SECONDS } from "../calendar/dayNumber";

/** The EIP-712 domain of a token, for which its permits are signed. */
export type PermitDomain = { name: string; version: string; chainId: number; verifyingContract: Address };

/** An allowance that a signature sets (EIP-2612). `value` is in token units, `deadline` in unix seconds. */
export type Permit = { owner: Address; spender: Address; value: bigint; nonce: bigint; deadline: bigint };

/** A permit with its signature, as the service stores it. */
export type KeptPermit = Permit & {
  token: Address;
  signature: Hex;
  /** Whether the owner's key has signed. Otherwise the owner is a contract, which the token asks about the signature (ERC-1271). */
  isOfKey: boolean;
  /**
   * The owner's allowance for the protocol's contract when the permit was stored, token units: once it differs, the
   * permit no longer counts.
   */
  allowance: bigint;
};

/** The longest time for which a permit may be kept, seconds. */
export const LONGEST_PERMIT_SECONDS = 35 * DAY_SECONDS;

/** The types of the EIP-712 data, for `eth_signTypedData_v4`. */
export const PERMIT_TYPES = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ],
  Permit: [
    { name: "owner", type: "address" },
    { name: "spender", type: "address" },
    { name: "value", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

/** keccak256 of the type `Permit` of EIP-2612. */
export const PERMIT_TYPEHASH: Hex = "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9";

/** The digest that the owner signs (EIP-712). */
export function hashPermit(domain: PermitDomain, permit: Permit): Hex {
  const { Permit } = PERMIT_TYPES;
  return hashTypedData({ domain, types: { Permit }, primaryType: "Permit", message: permit });
}
