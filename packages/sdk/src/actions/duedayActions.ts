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
import { type Address, getAddress, type Hex, maxUint256, parseUnits } from "viem";
import { DuedayError } from "../http/duedayError";
import type {
  ActionOptions,
  ActionResult,
  ApproveParameters,
  ChangePlanParameters,
  CreateSubscriptionParameters,
  EditProviderProfileParameters,
  OnSubscriptionParameters,
  PreparedAnswer,
  PrepareSource,
  SubscribeParameters,
} from "./actionParameters";
import { type CheckedTransaction, checkPrepared, type ExpectedTransactions, lastApproval } from "./checkPrepared";
import { createdId } from "./createdId";
import { readApprovalBound } from "./readApprovalBound";
import { readRecord, readUnits } from "./readRecord";
import { type RepairParameters, repairTransactions } from "./repairTransactions";
import { sendTransactions, type WalletClient } from "./sendTransactions";
import { type SigningTarget, signingTarget } from "./signingTarget";

export type DuedayActionsOptions = {
  /** The client that prepares the transactions. */
  dueday: PrepareSource;
  /** The protocol's contract. Default: that of the wallet's chain, where it is built in (Base, Base Sepolia). */
  contract?: Address | undefined;
};

/** What `client.extend(duedayActions(...))` adds to a wallet client. */
export type DuedayActions = {
  /** Creates a subscription, as its provider. @returns its id, too */
  createSubscription(parameters: CreateSubscriptionParameters): Promise<ActionResult & { id: Hex }>;
  /**
   * Approves a token, as a subscriber, for the next charges of everything that the wallet pays in it: for the time of some periods of one
   * subscription, or, with `token`, of the subscription with the longest periods.
   */
  approve(parameters: ApproveParameters): Promise<ActionResult>;
  /** Sets the approval of a token for the contract to 0, as a subscriber: then all charges of the wallet in the token fail. Needs no prepare. */
  revokeApproval(parameters: ActionOptions & { token: Address }): Promise<ActionResult>;
  /** Subscribes, with an approval before it where the allowance is too low: in one batch where the wallet can. */
  subscribe(parameters: SubscribeParameters): Promise<ActionResult>;
  /** Ends the wallet's own subscription. With `revokes` the approval of the plan's token is set to 0 after it, in one batch where the wallet can. */
  unsubscribe(parameters: OnSubscriptionParameters & { revokes?: boolean | undefined }): Promise<ActionResult>;
  /**
   * Changes from one subscription to another: approves where the allowance is too low, subscribes, then unsubscribes, in one batch where the wallet
   * can. A wallet that stops halfway is in both.
   */
  changePlan(parameters: ChangePlanParameters): Promise<ActionResult>;
  /**
   * Sets approvals of several tokens as the `repair` of an account's health names them, in one batch where the wallet can. Needs no prepare. An
   * amount is REFUSED where it is higher than both what all charges within `days` need and the part of the present allowance that is needed in the
   * next 400 days, by the wallet's own node.
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
 * signed), TRANSACTION_FAILED where a transaction reverted or was replaced, and viem's errors where the wallet's owner rejects.
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

    /** What may be approved before a subscription begins: for these periods of it, besides all else that the wallet pays in the token. */
    async function approvalFor(
      { contract, from }: SigningTarget,
      { record, units }: Awaited<ReturnType<typeof readTerms>>,
      { approvalPeriods: periods, infiniteApproval }: Pick<SubscribeParameters, "approvalPeriods" | "infiniteApproval">,
      without?: Hex,
    ) {
      const { token } = record;
      if (infiniteApproval === true) return { token, most: maxUint256 };
      if (periods === undefined) return { token, most: units };
      const bound = { contract, account: from, token, plan: record, without, time: { periods } };
      return { token, most: (await readApprovalBound(client, bound)).ofTime };
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
        // Some tokens refuse to change an allowance that is not 0: only an approval of 0 may precede this one.
        return signPrepared(to, answer, { call, approval: { token, most: 0n } }, parameters);
      },

      async revokeApproval(parameters) {
        const to = await target(parameters);
        const data = encodeApprove(to.contract, 0n);
        return send(to, [{ ...at(to), to: getAddress(parameters.token), data, value: 0n }], null, parameters);
      },

      async subscribe(parameters) {
        const { id } = parameters;
        const to = await target(parameters);
        const [answer, terms] = await Promise.all([
          dueday.prepareSubscribeById({ from: to.from, id, ...approvalOf(parameters) }, at(to)),
          readTerms(to, id),
        ]);
        const call = { name: "subscribe() to this subscription", data: encodeSubscribe(terms.record) };
        return signPrepared(to, answer, { call, approval: await approvalFor(to, terms, parameters) }, parameters);
      },

      async changePlan(parameters) {
        const { leave, join } = parameters;
        const to = await target(parameters);
        const [answer, terms, left] = await Promise.all([
          dueday.prepareChangePlan({ from: to.from, leave, join, ...approvalOf(parameters) }, at(to)),
          readTerms(to, join),
          readRecord(client, to.contract, leave),
        ]);
        const call = { name: "subscribe() to the new subscription", data: encodeSubscribe(terms.record) };
        const next = { name: "unsubscribe() from the old subscription", data: encodeUnsubscribe(left) };
        const approval = await approvalFor(to, terms, parameters, left.id);
        return signPrepared(to, answer, { call, next, approval }, parameters);
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
type Expected = Pick<ExpectedTransactions, "call" | "next" | "approval"> & { after?: readonly CheckedTransaction[] };

/** The approval that is asked for, as the prepares take it. */
function approvalOf({ approvalPeriods, infiniteApproval }: SubscribeParameters | ChangePlanParameters) {
  return {
    ...(infiniteApproval === undefined ? {} : { infiniteApproval }),
    ...(approvalPeriods === undefined ? {} : { approvalPeriods }),
  };
}

function renewed(parameters: ApproveParameters) {
  if (parameters.id === undefined) return { token: parameters.token };
  const { id, exact } = parameters;
  return { id, ...(exact === undefined ? {} : { exact }) };
}
