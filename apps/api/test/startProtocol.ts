import { createDevnetClient, type DevnetClient } from "@dueday/devnet/client";
import { deployProtocol, type ProtocolConfig } from "@dueday/devnet/deployProtocol";
import { deployToken } from "@dueday/devnet/deployToken";
import { approveToken, type Target } from "@dueday/devnet/scenarios/actions";
import { startAnvil } from "@dueday/devnet/startAnvil";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "@dueday/devnet/testAccount";
import { type Address, parseEther } from "viem";

export type TestProtocol = Target & {
  url: string;
  /** Funded accounts of the devnet, none of them admin, janitor or keeper. */
  person(index: number): TestAccount;
  /** Deploys a test token and approves it, with a minimum of one whole token. */
  token(symbol: string, decimals: number): Promise<Address>;
  stop(): Promise<void>;
};

export type TestProtocolOptions = {
  /** Seconds since 1970 that the chain starts at. */
  now: number;
  config?: Partial<ProtocolConfig>;
};

const PEOPLE = 40;

/** A devnet with the bare protocol on it, its fees as on Base. */
export async function startProtocol({ now, config }: TestProtocolOptions): Promise<TestProtocol> {
  const anvil = await startAnvil({ timestamp: now, accounts: ACCOUNT_INDEX.firstSubscriber + PEOPLE });
  try {
    const client: DevnetClient = createDevnetClient(anvil.url);
    const admin = testAccount(ACCOUNT_INDEX.admin).address;
    const janitor = testAccount(ACCOUNT_INDEX.janitor).address;
    const fees = { callerFee: 10025n, systemFee: 10000n, allowSystemFee: false };
    const contract = await deployProtocol(client, {
      ...fees,
      maxRemits: 5n,
      cancelLimit: 5n,
      admin,
      janitor,
      ...config,
    });
    const target = { client, contract, admin };
    return {
      ...target,
      url: anvil.url,
      person: (index) => testAccount(ACCOUNT_INDEX.firstSubscriber + index),
      async token(symbol, decimals) {
        const token = await deployToken(client, admin, { name: symbol, symbol, decimals });
        await approveToken(target, token, decimals, parseEther("1"));
        return token;
      },
      stop: anvil.stop,
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}
