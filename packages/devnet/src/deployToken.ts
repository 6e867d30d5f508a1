import { type Address, encodeDeployData } from "viem";
import { testTokenAbi } from "./abi/testTokenAbi";
import type { DevnetClient } from "./client";
import { compile } from "./compile";
import { deploy } from "./send";

export type TokenConfig = { name: string; symbol: string; decimals: number };

/**
 * The tokens of `OddTokens.sol` (test tokens with one peculiarity) and `BareTokens.sol` (whose interface differs from
 * ERC-20).
 */
export type PeculiarToken =
  | { file: "OddTokens"; contract: OddToken }
  | { file: "BareTokens"; contract: "Bytes32SymbolToken" | "NoSymbolToken" | "NoReturnToken" };

type OddToken =
  | "RevertingToken"
  | "FeeOnTransferToken"
  | "NoAllowanceChangeToken"
  | "NoZeroTransferToken"
  | "HostileSymbolToken"
  | "FarAllowanceToken"
  | "HostileToken"
  | "LyingToken"
  | "TrapToken"
  | "LyingPermitToken";

/** Deploys a test token, in a block with time `at` (unix seconds). It is not approved by the protocol. */
export async function deployToken(
  client: DevnetClient,
  from: Address,
  token: TokenConfig,
  at?: number,
): Promise<Address> {
  const args = [token.name, token.symbol, token.decimals] as const;
  const { bytecode } = await compile("TestToken");
  return deploy(client, { from, data: encodeDeployData({ abi: testTokenAbi, bytecode, args }), at });
}

/** Deploys a peculiar token, which has 18 decimals (NoAllowanceChangeToken and LyingPermitToken have 6). */
export async function deployPeculiarToken(
  client: DevnetClient,
  from: Address,
  token: PeculiarToken,
  at?: number,
): Promise<Address> {
  const { bytecode } = await compile(token.file, token.contract);
  return deploy(client, { from, data: bytecode, at });
}
