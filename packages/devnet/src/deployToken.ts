import { type Address, encodeDeployData, getAddress, type Hex } from "viem";
import { testTokenAbi } from "./abi/testTokenAbi";
import type { DevnetClient } from "./client";
import { type Artifacts, compile } from "./compile";
import { send } from "./send";

export type TokenConfig = { name: string; symbol: string; decimals: number };

/** Deploys a test token, in a block of time `at`. Whether the protocol takes it is up to `addERC20Contract`. */
export async function deployToken(
  client: DevnetClient,
  from: Address,
  token: TokenConfig,
  at?: number,
): Promise<Address> {
  const args = [token.name, token.symbol, token.decimals] as const;
  const bytecode = bytecodeOf(await compile(), "TestToken");
  return deploy(client, from, encodeDeployData({ abi: testTokenAbi, bytecode, args }), at);
}

/**
 * Deploys one of the peculiar tokens of `OddTokens.sol` and `BareTokens.sol`, by the contract's name.
 * @throws Error if there is no such contract
 */
export async function deployOddToken(client: DevnetClient, from: Address, name: string, at?: number): Promise<Address> {
  return deploy(client, from, bytecodeOf(await compile(), name), at);
}

function bytecodeOf(artifacts: Artifacts, name: string): Hex {
  const bytecode = artifacts[name]?.bytecode;
  if (!bytecode || bytecode === "0x") throw new Error(`contracts/ holds no contract ${name} that can be deployed`);
  return bytecode;
}

async function deploy(client: DevnetClient, from: Address, data: Hex, at?: number): Promise<Address> {
  const receipt = await send(client, { from, data, ...(at === undefined ? {} : { at }) });
  if (!receipt.contractAddress) throw new Error("the token was not deployed");
  return getAddress(receipt.contractAddress);
}
