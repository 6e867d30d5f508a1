import { type Address, encodeFunctionData, keccak256, parseEther, slice, stringToHex } from "viem";
import { adminAbi } from "../abi/adminAbi";
import { createDevnetClient, type DevnetClient } from "../client";
import { deployProtocol } from "../deployProtocol";
import { deployToken } from "../deployToken";
import { send } from "../send";
import { startAnvil } from "../startAnvil";
import { Names } from "./names";
import type { Scenario } from "./scenario";

export type ReplayContext = {
  scenario: Scenario;
  /** RPC URL of the node. */
  url: string;
  client: DevnetClient;
  contract: Address;
  /** The account that the recorded plans are made for. */
  keeper: Address;
  /** In the order of the scenario, including tokens that are not approved. */
  tokens: Address[];
  names: Names;
};

/** A private node that signs for every sender. */
export type ReplayNode = {
  url: string;
  client: DevnetClient;
  stop(): Promise<void>;
};

/** Starts a node whose clock can be set to any time from `timestamp` (unix seconds) on. */
export type StartReplayNode = (options: { timestamp: number }) => Promise<ReplayNode>;

/** An anvil that impersonates every sender. */
export const startReplayAnvil: StartReplayNode = async ({ timestamp }) => {
  const anvil = await startAnvil({ timestamp, accounts: 1 });
  try {
    const client = createDevnetClient(anvil.url);
    await client.request({ method: "anvil_autoImpersonateAccount", params: [true] });
    return { ...anvil, client };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
};

/** Starts a private node with the contract and tokens of the scenario at its start time. */
export async function setUp(
  scenario: Scenario,
  startNode: StartReplayNode = startReplayAnvil,
  accountOf: (name: string) => Address = keylessAccount,
): Promise<{ context: ReplayContext; node: ReplayNode }> {
  const node = await startNode({ timestamp: scenario.start - 1 });
  const { client } = node;
  try {
    const names = new Names();
    for (const name of scenario.accounts) {
      const address = accountOf(name);
      names.add(name, address);
      await client.setBalance({ address, value: parseEther("1000") });
    }
    const { contract, tokens } = await deploy(client, scenario, names);
    return {
      context: { scenario, url: node.url, client, contract, keeper: names.addressOf("keeper"), tokens, names },
      node,
    };
  } catch (error) {
    await node.stop();
    throw error;
  }
}

/** An address without a key, because the node signs for every sender. */
function keylessAccount(name: string): Address {
  return slice(keccak256(stringToHex(`account ${name}`)), 12);
}

async function deploy(client: DevnetClient, scenario: Scenario, names: Names) {
  const { start, config } = scenario;
  const admin = names.addressOf("admin");
  const contract = await deployProtocol(
    client,
    {
      callerFee: BigInt(config.callerFee),
      systemFee: BigInt(config.systemFee),
      maxRemits: BigInt(config.maxRemits),
      cancelLimit: BigInt(config.cancelLimit),
      allowSystemFee: config.allowSystemFee,
      admin,
      janitor: names.addressOf("janitor"),
    },
    start,
  );
  names.add("protocol", contract);

  const tokens: Address[] = [];
  let at = start;
  for (const [symbol, { decimals, minimum, approved }] of Object.entries(scenario.tokens)) {
    const token = await deployToken(client, admin, { name: symbol, symbol, decimals }, ++at);
    names.add(symbol, token);
    tokens.push(token);
    if (!approved) continue;
    const args = [token, BigInt(minimum), decimals] as const;
    const data = encodeFunctionData({ abi: adminAbi, functionName: "addERC20Contract", args });
    await send(client, { from: admin, to: contract, data, at: ++at });
  }
  return { contract, tokens };
}
