import { createDueday } from "@dueday/sdk";
import { checkoutMessage } from "@dueday/sdk/gate";
import type { Hex, StackFacts, Wallet } from "../facts";
import { createRpc } from "./createRpc";

export type CheckoutOptions = {
  /** Id of the plan. */
  subscription: Hex;
  /** Who pays: one of the stack's wallets, with enough of the plan's token. */
  subscriber: Pick<Wallet, "address">;
  /** The shop's own origin, the same as for `verifyCheckout`. */
  origin: string;
  /** The shop's name of the order. Default: an empty one. */
  reference?: string | undefined;
  /** Further periods that the approval covers. Default: 12. */
  approvalPeriods?: number | undefined;
};

/** What the payer's browser brings back to the shop. */
export type PaidCheckout = { account: Hex; transaction: Hex; message: string; signature: Hex };

/** Pays as the checkout page does: approves, subscribes, and signs the proof. */
export type Checkout = (options: CheckoutOptions) => Promise<PaidCheckout>;

const APPROVAL_PERIODS = 12;

/**
 * The checkout page of a running stack, which is on the host of the stack's service.
 *
 * @param caughtUp waits until the service has seen the chain's newest block
 */
export function createCheckout({ url, rpcUrl, chainId }: StackFacts, caughtUp: () => Promise<void>): Checkout {
  const rpc = createRpc(rpcUrl);
  const dueday = createDueday({ baseUrl: url });
  return async ({ subscription, subscriber, origin, reference = "", approvalPeriods = APPROVAL_PERIODS }) => {
    const { address: account } = subscriber;
    const prepared = await dueday.prepareSubscribeById({ from: account, id: subscription, approvalPeriods });
    if (!("unsignedTransactions" in prepared)) throw new Error("the service prepared no transactions");
    let transaction: Hex = "0x";
    for (const { to, data, value } of prepared.unsignedTransactions) {
      const call = { from: account, to, data, value: `0x${BigInt(value).toString(16)}` };
      const { status, transactionHash } = Object(await rpc("eth_sendTransactionSync", [call]));
      if (status !== "0x1") throw new Error(`subscribing reverted in transaction ${transactionHash}`);
      transaction = transactionHash;
    }
    await caughtUp();
    const claim = { checkout: url, origin, chainId, subscription, reference };
    const nonce = crypto.randomUUID().replaceAll("-", "");
    const message = checkoutMessage({ ...claim, account, nonce, issuedAt: new Date() });
    const signature = await rpc("personal_sign", [`0x${Buffer.from(message).toString("hex")}`, account]);
    // The node returns the signature as hex.
    return { account, transaction, message, signature: String(signature) as Hex };
  };
}
