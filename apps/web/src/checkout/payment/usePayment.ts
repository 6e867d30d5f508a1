import type { Dueday } from "@dueday/sdk";
import { duedayActions } from "@dueday/sdk/actions";
import { useState } from "react";
import { createWalletClient, custom, decodeFunctionData, erc20Abi, getAddress, type Hex } from "viem";
import type { AppChain } from "../../config/appConfig";
import { unitsToDecimal } from "../../format/formatAmount";
import { describeFailure } from "../../wallet/describeFailure";
import { toChain } from "../../wallet/toChain";
import type { CheckoutResult } from "../sale/checkoutResult";
import { moneyOf } from "../sale/moneyOf";
import type { CheckoutRequest } from "../sale/readRequest";
import type { Checkout } from "../sale/useCheckout";
import type { Connection } from "./connectWallet";
import type { PaymentProgress } from "./paymentProgress";
import { sellerOrigin, signProof } from "./signProof";

export type Sale = {
  dueday: Dueday;
  request: CheckoutRequest;
  checkout: Checkout;
  /** Asks for the checkout again, at `minBlock` or later. */
  onReload(minBlock?: bigint): void;
};
type Target = {
  connection: Connection | null;
  chain: AppChain | undefined;
  /** The wallet takes the seller's paymaster. */
  isSponsored: boolean;
};

/** Subscribes with the connected wallet, and signs the proof where the seller asks for one. */
export function usePayment({ dueday, request, checkout, onReload }: Sale, { connection, chain, isSponsored }: Target) {
  const [progress, setProgress] = useState<PaymentProgress>({ step: "idle" });
  const { subscription, tokenDecimals, initialCharge, paymasterUrl } = checkout;
  const { money } = moneyOf(checkout);

  /** Runs a part of the payment, and shows its failure. */
  async function attempt(act: (wallet: Wallet) => Promise<CheckoutResult>): Promise<void> {
    if (connection === null || chain === undefined) return;
    setProgress({ step: "preparing" });
    try {
      setProgress({ step: "done", result: await act({ connection, chain }) });
    } catch (error) {
      setProgress({ step: "failed", failure: describeFailure(error) });
    }
  }

  async function prove(wallet: Wallet): Promise<CheckoutResult["proof"]> {
    if (!request.proof) return null;
    setProgress({ step: "proving" });
    return signProof(wallet.connection, { request, checkout });
  }

  const memberResult = (account: string): CheckoutResult => ({
    status: "already_subscribed",
    subscription: subscription.id,
    account,
    transaction: null,
    reference: request.reference,
    proof: null,
  });

  return {
    progress,
    /** The first charge, formatted with its symbol. */
    today: money(initialCharge.total),
    memberResult,
    /** For an account that pays already: signs the proof alone. */
    prove: () =>
      attempt(async (wallet) => ({ ...memberResult(wallet.connection.account), proof: await prove(wallet) })),
    pay: () =>
      attempt(async (wallet) => {
        // Before anything is paid: without a proof the shop does not let the payer in.
        if (request.proof) sellerOrigin(request, checkout);
        const { account, provider } = wallet.connection;
        const client = createWalletClient({ account, chain: toChain(wallet.chain), transport: custom(provider) });
        const actions = duedayActions({ dueday, contract: getAddress(wallet.chain.contract) })(client);
        const { receipts } = await actions.subscribe({
          id: subscription.id,
          approvalPeriods: request.periods,
          ...(isSponsored && paymasterUrl !== null && { paymasterUrl }),
          onChecked: (transactions) => {
            const units = approvedUnits(transactions);
            const approved = units === null ? null : money(unitsToDecimal(units, tokenDecimals));
            setProgress({ step: "signing", count: transactions.length, sent: 0, approved });
          },
          onSent: (_, { isBatch }) =>
            setProgress((before) => {
              if (before.step !== "signing") return before;
              return { ...before, sent: isBatch ? before.count : before.sent + 1 };
            }),
        });
        const last = receipts.at(-1);
        // A shop that asks at once should find the payer. A failure changes nothing: the transaction is mined.
        const minBlock = last?.blockNumber ?? 0n;
        await dueday.getEntitlement({ id: subscription.id, account }, { minBlock }).catch(() => null);
        onReload(minBlock);
        const transaction = last?.transactionHash ?? null;
        return { ...memberResult(account), status: "subscribed", transaction, proof: await prove(wallet) };
      }),
  };
}

type Wallet = { connection: Connection; chain: AppChain };

/** Token units that the approve() before the subscribe() approves; null where there is none. */
function approvedUnits(transactions: readonly { data: Hex }[]): bigint | null {
  // The last one is the subscribe().
  const data = transactions.at(-2)?.data;
  if (data === undefined) return null;
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
  return functionName === "approve" ? args[1] : null;
}
