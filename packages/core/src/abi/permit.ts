import { parseAbi } from "viem";

/** Views of a token with EIP-2612. */
export const permitViewsAbi = parseAbi([
  "function nonces(address owner) view returns (uint256)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function PERMIT_TYPEHASH() view returns (bytes32)",
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
]);

/** The permit() of EIP-2612, for the signature of a private key. */
export const permitAbi = parseAbi([
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
]);

/** The permit() of USDC, for signatures of any kind, including those of smart wallets (ERC-1271). */
export const permitBytesAbi = parseAbi([
  "function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)",
]);
