import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { type Hex, maxUint256 } from "viem";
import { DuedayError } from "../http/duedayError";
import type { PlainMethods } from "../plainMethods";
import { checkPrepared } from "./checkPrepared";
import type { ActionOptions, ActionResult, DuedayActionsOptions } from "./duedayActions";
import { readApprovalBound } from "./readApprovalBound";
import { readRecord, readUnits } from "./readRecord";
import { sendTransactions, type WalletClient } from "./sendTransactions";
import { signingTarget } from "./signingTarget";

export type ChangePlanParameters = ActionOptions &
  Pick<DuedayActionsOptions, "contract"> & {
    dueday: PlainMethods<"prepareChangePlan">;
    /** Id of the subscription that the wallet pays and leaves. */
    leave: Hex;
    /** Id of the subscription that it changes to. */
    join: Hex;
    /** Periods of `join` that the approval covers, as in `subscribe`. Default: the amount of one period in all. */
    approvalPeriods?: number | undefined;
    /** Approve without limit. */
    infiniteApproval?: boolean | undefined;
  };

/**
 * Changes from one subscription to another: subscribes to `join`, after an approval where the allowance is too low, then leaves `leave`; in one
 * batch where the wallet can. A wallet that stops halfway pays both rather than none. What is prepared is compared with the wallet's own
 * node as by `duedayActions`, and it rejects in the same way.
 *
 * @example
 * await changePlan(wallet, { dueday, leave: monthly, join: yearly, approvalPeriods: 2 });
 */
export async function changePlan(client: WalletClient, parameters: ChangePlanParameters): Promise<ActionResult> {
  const { dueday, leave, join, approvalPeriods, infiniteApproval, onChecked, onSent, paymasterUrl } = parameters;
  const { chainId, contract, from, account } = await signingTarget(client, parameters);
  const wish = { approvalPeriods, infiniteApproval };
  const [answer, left, joined] = await Promise.all([
    dueday.prepareChangePlan({ from, leave, join, ...wish }, { chainId }),
    readRecord(client, contract, leave),
    readRecord(client, contract, join),
  ]);
  const most = await mostApproved();
  const checked = checkPrepared(answer, {
    chainId,
    contract,
    from,
    approval: { token: joined.token, most },
    before: { name: "subscribe() to the subscription of join", data: encodeSubscribe(joined) },
    call: { name: "unsubscribe() from the subscription of leave", data: encodeUnsubscribe(left) },
  });
  if ("refused" in checked) throw new DuedayError("REFUSED", `Refused to sign what was prepared: ${checked.refused}`);
  await onChecked?.(checked.transactions, answer);
  return { receipts: await sendTransactions(client, checked.transactions, { account, onSent, paymasterUrl }) };

  async function mostApproved(): Promise<bigint> {
    if (infiniteApproval === true) return maxUint256;
    if (approvalPeriods === undefined) return readUnits(client, joined);
    const time = { periods: approvalPeriods };
    const bound = { contract, account: from, token: joined.token, plan: joined, without: leave, time };
    return (await readApprovalBound(client, bound)).ofTime;
  }
}
