import { type Address, encodeDeployData } from "viem";
import { adminAbi } from "./abi/adminAbi";
import type { DevnetClient } from "./client";
import { compile } from "./compile";
import { deploy } from "./send";

export type ProtocolConfig = {
  /** 10000 + basis points. */
  callerFee: bigint;
  /** 10000 + basis points. */
  systemFee: bigint;
  maxRemits: bigint;
  cancelLimit: bigint;
  allowSystemFee: boolean;
  admin: Address;
  janitor: Address;
};

/**
 * Deploys the protocol from its admin's account, in a block with time `at` (unix seconds). Its first open day is two
 * days before the day of that block.
 */
export async function deployProtocol(client: DevnetClient, config: ProtocolConfig, at?: number): Promise<Address> {
  const { callerFee, systemFee, maxRemits, cancelLimit, allowSystemFee, admin, janitor } = config;
  const { bytecode } = await compile("SubscriptionProtocol");
  const args = [callerFee, systemFee, maxRemits, cancelLimit, allowSystemFee, admin, janitor] as const;
  return deploy(client, { from: admin, data: encodeDeployData({ abi: adminAbi, bytecode, args }), at });
}
