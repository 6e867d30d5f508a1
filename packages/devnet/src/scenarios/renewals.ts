import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { encodeFunctionData, parseEther, parseUnits } from "viem";
import { deployProtocol } from "../deployProtocol";
import { deploySmartWallet, fickleWalletAbi } from "../deploySmartWallet";
import { deployToken } from "../deployToken";
import { onlyId } from "../onlyId";
import { send } from "../send";
import { ACCOUNT_INDEX } from "../testAccount";
import { accountAt, approveToken, createSubscription, fund, subscribe } from "./actions";
import type { DevnetScenario } from "./devnetScenario";

const DECIMALS = 6;
export const RENEWAL_AMOUNT = parseUnits("10", DECIMALS);

export type Renewals = {
  /** Accounts that subscribe with their keys. */
  subscribers: number;
  /**
   * Adds a subscriber whose account is a smart wallet of the account after the last subscriber. The wallet may stop
   * accepting its owner's signatures.
   */
  withFickleWallet?: boolean;
};

/**
 * A weekly plan in a token with permits, due yesterday, which all subscribers joined on the due day. The rest of each approval is less than the
 * payment, and the fee balance is too low to pay the keeper for a failed payment. With a permit the payment succeeds, and the keeper gets its fee.
 */
export function renewals({ subscribers: count, withFickleWallet = false }: Renewals): DevnetScenario {
  return {
    daysBefore: 1,
    accounts: ACCOUNT_INDEX.firstSubscriber + count + 1,
    async seed(client, now) {
      const accounts = await client.request({ method: "eth_accounts" });
      const at = (index: number) => accountAt(accounts, index);
      const admin = at(ACCOUNT_INDEX.admin);
      const contract = await deployProtocol(client, {
        callerFee: 10200n,
        systemFee: 10000n,
        allowSystemFee: false,
        maxRemits: 20n,
        cancelLimit: 5n,
        admin,
        janitor: at(ACCOUNT_INDEX.janitor),
      });
      const target = { client, contract, admin };
      const token = await deployToken(client, admin, { name: "USD Coin", symbol: "USDC", decimals: DECIMALS });
      await approveToken(target, token, DECIMALS, parseEther("1"));
      const dueDay = Math.floor(now / DAY_SECONDS) - 1;
      const id = await createSubscription(target, at(ACCOUNT_INDEX.firstProvider), {
        amount: parseEther("10"),
        token,
        frequency: 0,
        dueDay: calendarDay(dueDay).weekDay,
        details: { url: "https://harbor.example/plans", description: "Harbor Weekly" },
      });
      const balance = 100n * RENEWAL_AMOUNT;
      for (let index = 0; index < count; index++) {
        const subscriber = at(ACCOUNT_INDEX.firstSubscriber + index);
        await fund(target, token, subscriber, balance, RENEWAL_AMOUNT);
        await subscribe(target, subscriber, id);
      }
      if (withFickleWallet) {
        const owner = at(ACCOUNT_INDEX.firstSubscriber + count);
        const wallet = await deploySmartWallet(client, admin, owner, "FickleWallet");
        await fund(target, token, wallet, balance, RENEWAL_AMOUNT);
        const args = [contract, encodeSubscribe(onlyId(id))] as const;
        const data = encodeFunctionData({ abi: fickleWalletAbi, functionName: "execute", args });
        await send(client, { from: owner, to: wallet, data });
      }
      return { contract, tokens: [token], subscriptions: { weekly: id } };
    },
  };
}
