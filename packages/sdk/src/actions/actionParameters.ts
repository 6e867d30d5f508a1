import type { Account, Address, Hex } from "viem";
import type { Operations } from "../operationTypes";
import type { PlainMethods } from "../plainMethods";
import type { CheckedTransaction } from "./checkPrepared";
import type { ActionReceipt, OnSent } from "./sendTransactions";

/** The prepares that the actions need; a client of `createDueday` or `createLocalDueday` has them. */
export type PrepareSource = PlainMethods<
  | "prepareCreateSubscription"
  | "prepareApprove"
  | "prepareSubscribeById"
  | "prepareUnsubscribeById"
  | "prepareChangePlan"
  | "prepareUnsubscribeByProviderById"
  | "prepareCancelSubscriptionById"
  | "prepareEditDetails"
  | "prepareEditProviderProfile"
  | "prepareRemit"
>;

/** What one of these prepares, or `prepareSubmitPermit`, answers. */
export type PreparedAnswer = Operations[keyof PrepareSource | "prepareSubmitPermit"]["output"];

/** How every action can be called. */
export type ActionOptions = {
  /** Default: the client's own. */
  account?: Account | Address | undefined;
  /**
   * Called with what the wallet will be asked to sign, after it was checked, and with the answer that it was compared with (null
   * for `revokeApproval` and `repairApprovals`, which need none). A promise is awaited before the first signature: if it rejects, nothing is signed.
   */
  onChecked?: ((transactions: readonly CheckedTransaction[], answer: PreparedAnswer | null) => unknown) | undefined;
  /** Called with each hash (or, for a batch, its id) as soon as the wallet has signed. */
  onSent?: OnSent | undefined;
  /** https URL of a paymaster (ERC-7677) that pays the gas. Passed to a wallet with `paymasterService` (EIP-5792); other wallets pay themselves. */
  paymasterUrl?: string | undefined;
};

/** The mined transactions of an action, in order. */
export type ActionResult = { receipts: readonly ActionReceipt[] };

export type CreateSubscriptionParameters = ActionOptions & {
  /** In whole tokens, such as "12.50". */
  amount: string;
  token: Address;
  details: { url: string; description: string };
  /** 0 weekly, 1 monthly, 2 quarterly, 3 yearly. */
  frequency: 0 | 1 | 2 | 3;
  /** 1..7 weekly, 1..28 monthly, 1..90 quarterly, 1..365 yearly. */
  dueDay: number;
};

export type OnSubscriptionParameters = ActionOptions & { /** Id of the subscription. */ id: Hex };

/** How much to approve: all charges in the token within a number of periods (with `exact`, that number of payments of one subscription), or without limit. */
export type ApprovalParameters = { periods: number; infinite?: undefined } | { infinite: true; periods?: undefined };

export type ApproveParameters = ActionOptions &
  ApprovalParameters &
  (
    | {
        id: Hex;
        token?: undefined;
        /** Approves for this subscription only, even if that is less than the wallet's other subscriptions need. */
        exact?: boolean | undefined;
      }
    | { token: Address; id?: undefined }
  );

export type SubscribeParameters = OnSubscriptionParameters & {
  /**
   * Periods whose charges the approval covers besides the initial one (1 to 120), together with all else that the wallet pays in the token.
   * Default: the approval is the amount of one period, whatever else the wallet pays.
   */
  approvalPeriods?: number | undefined;
  /** Approve without limit. */
  infiniteApproval?: boolean | undefined;
};

export type ChangePlanParameters = Omit<SubscribeParameters, "id"> & {
  /** Id of the subscription that the wallet pays and leaves. */
  leave: Hex;
  /** Id of the subscription that it changes to. */
  join: Hex;
};

export type EditProviderProfileParameters = ActionOptions & {
  profile: { description: string; company: string; url: string; domain: string; email: string; misc: string };
};
