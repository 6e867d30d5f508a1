import { lesser } from "@dueday/core/amounts/lesser";
import { PROTOCOL_DECIMALS } from "@dueday/core/amounts/tokenUnits";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { encodeCreateSubscription } from "@dueday/core/calldata/encodeCreateSubscription";
import { encodeEditDetails } from "@dueday/core/calldata/encodeEditDetails";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import { type Account, type Address, getAddress, type Hex, maxUint256, parseUnits } from "viem";
import { DuedayError } from "../http/duedayError";
import type { Operations } from "../operationTypes";
import type { PlainMethods } from "../plainMethods";
import { type CheckedTransaction, checkPrepared, type ExpectedTransactions, lastApproval } from "./checkPrepared";
import { createdId } from "./createdId";
import { readApprovalBound } from "./readApprovalBound";
import { readRecord, readUnits } from "./readRecord";
import { type RepairParameters, repairTransactions } from "./repairTransactions";
import { type ActionReceipt, type OnSent, sendTransactions, type WalletClient } from "./sendTransactions";
import { type SigningTarget, signingTarget } from "./signingTarget";

/** The prepares that the actions need; a client of `createDueday` or `createLocalDueday` has them. */
export type PrepareSource = PlainMethods<
  | "prepareCreateSubscription"
  | "prepareApprove"
  | "prepareSubscribeById"
  | "prepareUnsubscribeById"
  | "prepareUnsubscribeByProviderById"
  | "prepareCancelSubscriptionById"
  | "prepareEditDetails"
  | "prepareEditProviderProfile"
  | "prepareRemit"
>;

/** What one of these prepares answers. */
export type PreparedAnswer = Operations[keyof PrepareSource]["output"];

export type DuedayActionsOptions = {
  /** Who prepares. */
  dueday: PrepareSource;
  /** The protocol's contract. Default: that of the wallet's chain, where it is built in (Base, Base Sepolia). */
  contract?: Address | undefined;
};

/** How every action can be called. */
export type ActionOptions = {
  /** Default: the client's own. */
  account?: Account | Address | undefined;
  /**
   * Called with what the wallet will be asked to sign, after it was checked, and with the answer that it was compared with (null
   * for `revokeApproval`, which needs none). A promise is awaited before the first signature: if it rejects, nothing is signed.
   */
  onChecked?: ((transactions: readonly CheckedTransaction[], answer: PreparedAnswer | null) => unknown) | undefined;
  /** Called with each hash (or, for a batch, its id) as soon as the wallet has signed. */
  onSent?: OnSent | undefined;
  /** https URL of a paymaster (ERC-7677) that pays the gas. Passed to a wallet with `paymasterService` (EIP-5792); others pay themselves. */
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

/** How much to approve: a number of full charges, or without limit. */
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
   * Default: the amount of one period in all.
   */
  approvalPeriods?: number | undefined;
  /** Approve without limit. */
  infiniteApproval?: boolean | undefined;
};

export type EditProviderProfileParameters = ActionOptions & {
  profile: { description: string; company: string; url: string; domain: string; email: string; misc: string };
};

/** What `client.extend(duedayActions(...))` adds to a wallet client. */
export type DuedayActions = {
  /** Creates a subscription, as its provider. @returns its id, too */
  createSubscription(parameters: CreateSubscriptionParameters): Promise<ActionResult & { id: Hex }>;
  /**
   * Approves a token for the next charges of all that the wallet pays in it, as a subscriber: for periods of one subscription, or with
   * `token` of the longest.
   */
  approve(parameters: ApproveParameters): Promise<ActionResult>;
  /** Sets the approval of a token for the contract to 0, as a subscriber: all that the wallet pays in the token would fail. Needs no prepare. */
  revokeApproval(parameters: ActionOptions & { token: Address }): Promise<ActionResult>;
  /** Subscribes, with an approval before it where the allowance is too low: in one batch where the wallet can. */
  subscribe(parameters: SubscribeParameters): Promise<ActionResult>;
  /** Ends the wallet's own subscription. With `revokes` the approval of the plan's token is set to 0 after it, in one batch where the wallet can. */
  unsubscribe(parameters: OnSubscriptionParameters & { revokes?: boolean | undefined }): Promise<ActionResult>;
  /**
   * Sets approvals of several tokens as the `repair` of an account's health names them, in one batch where the wallet can. Needs no prepare: an
   * amount that is higher than all charges of these days by the wallet's own node is REFUSED.
   */
  repairApprovals(parameters: ActionOptions & RepairParameters): Promise<ActionResult>;
  /** Ends the subscription of one subscriber, as its provider. */
  removeSubscriber(parameters: OnSubscriptionParameters & { subscriber: Address }): Promise<ActionResult>;
  /** Cancels a subscription for all of its subscribers, as its provider. It can't be undone. */
  cancelSubscription(parameters: OnSubscriptionParameters): Promise<ActionResult>;
  /** Replaces url and description of a subscription, as its provider. */
  editDetails(
    parameters: OnSubscriptionParameters & { details: { url: string; description: string } },
  ): Promise<ActionResult>;
  /** Replaces the profile of the wallet as a provider. */
  editProviderProfile(parameters: EditProviderProfileParameters): Promise<ActionResult>;
  /** Settles one due day, or a page of it, as a keeper. */
  remit(parameters?: ActionOptions): Promise<ActionResult>;
};

/**
 * Actions for a wallet client of viem. What the service prepares is compared with the record on the wallet's own node before it is
 * signed: chain, contract, calldata, value, and the bound of an approval. An action resolves when its transactions are mined.
 *
 * Every action rejects with the codes of its prepare operation, REFUSED where the answer was not what was asked for (then nothing was
 * signed), TRANSACTION_FAILED where a transaction reverted, and viem's errors where the wallet's owner rejects.
 *
 * @example
 * const dueday = createDueday({ baseUrl: "https://api.example.com" });
 * const wallet = createWalletClient({ account, chain: base, transport: custom(window.ethereum) }).extend(duedayActions({ dueday }));
 * await wallet.subscribe({ id, approvalPeriods: 12 });
 */
export function duedayActions(options: DuedayActionsOptions): (client: WalletClient) => DuedayActions {
  const { dueday } = options;
  return (client) => {
    const target = ({ account }: ActionOptions) => signingTarget(client, { account, contract: options.contract });

    async function signPrepared(
      to: SigningTarget,
      answer: PreparedAnswer,
      { after = [], ...expected }: Expected,
      parameters: ActionOptions,
    ): Promise<ActionResult> {
      const { chainId, contract, from } = to;
      const checked = checkPrepared(answer, { chainId, contract, from, ...expected });
      if ("refused" in checked) {
        throw new DuedayError("REFUSED", `Refused to sign what was prepared: ${checked.refused}`);
      }
      return send(to, [...checked.transactions, ...after], answer, parameters);
    }

    async function send(
      { account }: SigningTarget,
      transactions: readonly CheckedTransaction[],
      answer: PreparedAnswer | null,
      { onChecked, onSent, paymasterUrl }: ActionOptions,
    ): Promise<ActionResult> {
      await onChecked?.(transactions, answer);
      return { receipts: await sendTransactions(client, transactions, { account, onSent, paymasterUrl }) };
    }

    async function readTerms({ contract }: SigningTarget, id: Hex) {
      const record = await readRecord(client, contract, id);
      return { record, units: await readUnits(client, record) };
    }

    /** The token of a renewal, and the highest allowance that it may set. */
    async function readRenewal({ contract, from }: SigningTarget, parameters: ApproveParameters) {
      const { periods = 1, infinite } = parameters;
      const bound = { contract, account: from, time: { periods } };
      if (parameters.id === undefined) {
        const token = getAddress(parameters.token);
        if (infinite === true) return { token, most: maxUint256 };
        return { token, most: (await readApprovalBound(client, { ...bound, token })).ofRenewal };
      }
      const plan = await readRecord(client, contract, parameters.id);
      const { token } = plan;
      if (infinite === true) return { token, most: maxUint256 };
      if (parameters.exact === true) {
        const wanted = (await readUnits(client, plan)) * BigInt(periods);
        return { token, most: wanted < maxUint256 ? wanted : maxUint256 };
      }
      return { token, most: (await readApprovalBound(client, { ...bound, token, plan })).ofRenewal };
    }

    const at = (to: SigningTarget) => ({ chainId: to.chainId });

    return {
      async createSubscription(parameters) {
        const { amount, token, details, frequency, dueDay } = parameters;
        const to = await target(parameters);
        const input = { from: to.from, amount, token, details, frequency, dueDay };
        const answer = await dueday.prepareCreateSubscription(input, at(to));
        const data = encodeCreateSubscription({ ...input, amount: parseUnits(amount, PROTOCOL_DECIMALS) });
        const call = { name: "createSubscription() with these terms", data };
        const result = await signPrepared(to, answer, { call }, parameters);
        return { ...result, id: createdId(result.receipts, to) };
      },

      async approve(parameters) {
        const { periods = 1, infinite } = parameters;
        const to = await target(parameters);
        const wish = infinite === true ? { infiniteApproval: true } : { approvalPeriods: periods };
        const [answer, { token, most }] = await Promise.all([
          dueday.prepareApprove({ from: to.from, ...renewed(parameters), ...wish }, at(to)),
          readRenewal(to, parameters),
        ]);
        const value = infinite === true ? maxUint256 : (lastApproval(answer) ?? most);
        const data = encodeApprove(to.contract, lesser(value, most));
        const call = { name: `approve() of at most ${most} units`, to: token, data };
        // Some tokens refuse to change an allowance that is not 0: only that may precede it.
        return signPrepared(to, answer, { call, approval: { token, most: 0n } }, parameters);
      },

      async revokeApproval(parameters) {
        const to = await target(parameters);
        const data = encodeApprove(to.contract, 0n);
        return send(to, [{ ...at(to), to: getAddress(parameters.token), data, value: 0n }], null, parameters);
      },

      async subscribe(parameters) {
        const { id, approvalPeriods, infiniteApproval } = parameters;
        const to = await target(parameters);
        const choices = {
          ...(infiniteApproval === undefined ? {} : { infiniteApproval }),
          ...(approvalPeriods === undefined ? {} : { approvalPeriods }),
        };
        const [answer, { record, units }] = await Promise.all([
          dueday.prepareSubscribeById({ from: to.from, id, ...choices }, at(to)),
          readTerms(to, id),
        ]);
        const bound = { contract: to.contract, account: to.from, token: record.token, plan: record };
        const most =
          infiniteApproval === true
            ? maxUint256
            : approvalPeriods === undefined
              ? units
              : (await readApprovalBound(client, { ...bound, time: { periods: approvalPeriods } })).ofTime;
        const call = { name: "subscribe() to this subscription", data: encodeSubscribe(record) };
        return signPrepared(to, answer, { call, approval: { token: record.token, most } }, parameters);
      },

      async unsubscribe(parameters) {
        const { id, revokes = false } = parameters;
        const to = await target(parameters);
        const [answer, record] = await Promise.all([
          dueday.prepareUnsubscribeById({ from: to.from, id }, at(to)),
          readRecord(client, to.contract, id),
        ]);
        const call = { name: "unsubscribe() from this subscription", data: encodeUnsubscribe(record) };
        const revocation = { ...at(to), to: record.token, data: encodeApprove(to.contract, 0n), value: 0n } as const;
        return signPrepared(to, answer, { call, after: revokes ? [revocation] : [] }, parameters);
      },

      async repairApprovals(parameters) {
        const to = await target(parameters);
        return send(to, await repairTransactions(client, { ...to, ...parameters, account: to.from }), null, parameters);
      },

      async removeSubscriber(parameters) {
        const { id, subscriber } = parameters;
        const to = await target(parameters);
        const [answer, record] = await Promise.all([
          dueday.prepareUnsubscribeByProviderById({ from: to.from, id, subscriber }, at(to)),
          readRecord(client, to.contract, id),
        ]);
        const data = encodeUnsubscribeByProvider(record, subscriber);
        return signPrepared(to, answer, { call: { name: "the removal of this subscriber", data } }, parameters);
      },

      async cancelSubscription(parameters) {
        const { id } = parameters;
        const to = await target(parameters);
        const [answer, record] = await Promise.all([
          dueday.prepareCancelSubscriptionById({ from: to.from, id }, at(to)),
          readRecord(client, to.contract, id),
        ]);
        const call = { name: "cancelSubscription() of this subscription", data: encodeCancelSubscription(record) };
        return signPrepared(to, answer, { call }, parameters);
      },

      async editDetails(parameters) {
        const { id, details } = parameters;
        const to = await target(parameters);
        const answer = await dueday.prepareEditDetails({ from: to.from, id, details }, at(to));
        const call = { name: "editDetails() with these texts", data: encodeEditDetails(details, id) };
        return signPrepared(to, answer, { call }, parameters);
      },

      async editProviderProfile(parameters) {
        const to = await target(parameters);
        const { profile } = parameters;
        const answer = await dueday.prepareEditProviderProfile({ from: to.from, profile }, at(to));
        const call = { name: "editProvDetails() with these texts", data: encodeEditProvDetails(profile) };
        return signPrepared(to, answer, { call }, parameters);
      },

      async remit(parameters = {}) {
        const to = await target(parameters);
        const answer = await dueday.prepareRemit({ from: to.from }, at(to));
        return signPrepared(to, answer, { call: { name: "remit()", data: encodeRemit() } }, parameters);
      },
    };
  };
}

/** What the transactions of an answer must be, and what is signed after them. */
type Expected = Pick<ExpectedTransactions, "call" | "approval"> & { after?: readonly CheckedTransaction[] };

function renewed(parameters: ApproveParameters) {
  if (parameters.id === undefined) return { token: parameters.token };
  const { id, exact } = parameters;
  return { id, ...(exact === undefined ? {} : { exact }) };
}
