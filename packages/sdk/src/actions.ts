/** Actions of a wallet: prepared by a service or by your own node, checked, signed by the wallet. */
export type {
  ActionOptions,
  ActionResult,
  ApprovalParameters,
  ChangePlanParameters,
  CreateSubscriptionParameters,
  EditProviderProfileParameters,
  OnSubscriptionParameters,
  PreparedAnswer,
  PrepareSource,
  SubscribeParameters,
} from "./actions/actionParameters";
export {
  type Checked,
  type CheckedTransaction,
  checkPrepared,
  type ExpectedTransactions,
} from "./actions/checkPrepared";
export { type DuedayActions, type DuedayActionsOptions, duedayActions } from "./actions/duedayActions";
export type { RepairParameters } from "./actions/repairTransactions";
export type { ActionReceipt, WalletClient } from "./actions/sendTransactions";
export { type PreparedPermit, type SignedPermit, type SignPermitParameters, signPermit } from "./actions/signPermit";
export { type SubmitPermitParameters, submitPermit } from "./actions/submitPermit";
