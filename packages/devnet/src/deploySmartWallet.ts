import { type Address, encodeDeployData, parseAbi } from "viem";
import type { DevnetClient } from "./client";
import { compile } from "./compile";
import { deploy } from "./send";

const constructorAbi = parseAbi(["constructor(address owner)"]);

/** Abi of the factory of `SmartWallets.sol`. */
export const smartWalletFactoryAbi = parseAbi([
  "function create(address owner, bytes32 salt) returns (address)",
  "function addressOf(address owner, bytes32 salt) view returns (address)",
]);

/** Functions of the `FickleWallet` of `SmartWallets.sol`. */
export const fickleWalletAbi = parseAbi([
  "function changeMind(bool hasChanged)",
  "function execute(address to, bytes data) returns (bytes)",
]);

/** Deploys a wallet of `SmartWallets.sol`: it accepts signatures of `owner` (a `FickleWallet` only until `changeMind(true)`). */
export async function deploySmartWallet(
  client: DevnetClient,
  from: Address,
  owner: Address,
  contract: "SmartWallet" | "FickleWallet" = "SmartWallet",
): Promise<Address> {
  const { bytecode } = await compile("SmartWallets", contract);
  return deploy(client, { from, data: encodeDeployData({ abi: constructorAbi, bytecode, args: [owner] }) });
}

/** Deploys a contract of `SmartWallets.sol` that takes no arguments. */
export async function deployWalletContract(
  client: DevnetClient,
  from: Address,
  contract: "SmartWalletFactory" | "EndlessWallet",
): Promise<Address> {
  const { bytecode } = await compile("SmartWallets", contract);
  return deploy(client, { from, data: bytecode });
}
