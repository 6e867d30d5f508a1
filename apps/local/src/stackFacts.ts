import { erc20Abi } from "@dueday/core/abi/erc20";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "@dueday/devnet/testAccount";
import type { Address, Hex } from "viem";
import type { Stack } from "./startStack";

/** What a program needs to use a stack, as it is printed in one line of JSON. */
export type StackFacts = {
  /** The API. */
  url: string;
  rpcUrl: string;
  chainId: number;
  contract: Address;
  tokens: { address: Address; name: string; symbol: string; decimals: number }[];
  /** Funded accounts; subscribers have tokens too. The chain's node signs for all of them. */
  wallets: { provider: TestAccount; subscribers: TestAccount[]; keeper: TestAccount };
  /** Ids of subscriptions, by their names in the scenario. */
  subscriptions: Record<string, Hex>;
};

/** Reads the tokens' names from the chain and derives the keys of its accounts. */
export async function stackFacts({ service, devnet }: Pick<Stack, "service" | "devnet">): Promise<StackFacts> {
  const { client, contract, keeper, subscriptions } = devnet;
  const accounts = await client.request({ method: "eth_accounts" });
  const subscribers = accounts.slice(ACCOUNT_INDEX.firstSubscriber);
  return {
    url: service.url,
    rpcUrl: devnet.url,
    chainId: DEVNET_CHAIN_ID,
    contract,
    tokens: await Promise.all(devnet.tokens.map((address) => describeToken(devnet, address))),
    wallets: {
      provider: testAccount(ACCOUNT_INDEX.firstProvider),
      subscribers: subscribers.map((_, index) => testAccount(ACCOUNT_INDEX.firstSubscriber + index)),
      keeper,
    },
    subscriptions,
  };
}

async function describeToken({ client }: Devnet, address: Address) {
  const token = { address, abi: erc20Abi } as const;
  const [name, symbol, decimals] = await Promise.all([
    client.readContract({ ...token, functionName: "name" }),
    client.readContract({ ...token, functionName: "symbol" }),
    client.readContract({ ...token, functionName: "decimals" }),
  ]);
  return { address, name, symbol, decimals };
}
