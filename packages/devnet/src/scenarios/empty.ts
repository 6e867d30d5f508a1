import { type Address, parseEther, parseUnits } from "viem";
import { deployProtocol } from "../deployProtocol";
import { deployToken } from "../deployToken";
import { ACCOUNT_INDEX } from "../testAccount";
import { approveToken, fund } from "./actions";
import type { DevnetScenario } from "./devnetScenario";

const SUBSCRIBERS = 10;
/** In whole tokens, of each subscriber. */
const BALANCE = "100000";
const TOKENS = [
  { name: "Harbor Dollar", symbol: "HUSD", decimals: 6 },
  { name: "Meridian", symbol: "MRD", decimals: 18 },
] as const;

/** The protocol with two approved tokens and no subscription. The subscribers' accounts have tokens and no allowance. */
export const empty: DevnetScenario = {
  daysBefore: 1,
  accounts: ACCOUNT_INDEX.firstSubscriber + SUBSCRIBERS,
  async seed(client) {
    const accounts = await client.request({ method: "eth_accounts" });
    const [admin, janitor] = accounts;
    if (!admin || !janitor) throw new Error("the node has too few accounts");
    const contract = await deployProtocol(client, {
      callerFee: 10200n,
      systemFee: 10000n,
      allowSystemFee: false,
      maxRemits: 10n,
      cancelLimit: 5n,
      admin,
      janitor,
    });
    const target = { client, contract, admin };
    const tokens: Address[] = [];
    for (const config of TOKENS) {
      const token = await deployToken(client, admin, config);
      await approveToken(target, token, config.decimals, parseEther("0.01"));
      const balance = parseUnits(BALANCE, config.decimals);
      for (const owner of accounts.slice(ACCOUNT_INDEX.firstSubscriber)) await fund(target, token, owner, balance, 0n);
      tokens.push(token);
    }
    return { contract, tokens, subscriptions: {} };
  },
};
