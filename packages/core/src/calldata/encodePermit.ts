import { encodeFunctionData, type Hex, parseSignature } from "viem";
import { permitAbi, permitBytesAbi } from "../abi/permit";
import type { KeptPermit } from "../permit/permit";

/** Calldata of permit(), for the token. Throws for a key's signature that is not 65 bytes long or does not end in 0, 1, 27 or 28. */
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
