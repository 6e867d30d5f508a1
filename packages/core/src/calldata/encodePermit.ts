import { encodeFunctionData, type Hex, parseSignature } from "viem";
import { permitAbi, permitBytesAbi } from "../abi/permit";
import type { KeptPermit } from "../permit/permit";

/** Calldata of permit(), for the token. Throws if a key's signature does not have 64 or 65 bytes. */
export function encodePermit({
  owner,
  spender,
  value,
  deadline,
  signature,
  isOfKey,
}: Omit<KeptPermit, "nonce" | "token" | "allowance">): Hex {
  const args = [owner, spender, value, deadline] as const;
  if (!isOfKey) return encodeFunctionData({ abi: permitBytesAbi, functionName: "permit", args: [...args, signature] });
  const { r, s, yParity } = parseSignature(signature);
  return encodeFunctionData({ abi: permitAbi, functionName: "permit", args: [...args, yParity + 27, r, s] });
}
