import { preparePermit } from "@dueday/chain/permits/preparePermit";
import { prepareApprove } from "@dueday/chain/prepare/prepareApprove";
import { prepareCancelSubscription } from "@dueday/chain/prepare/prepareCancelSubscription";
import { prepareChangePlan } from "@dueday/chain/prepare/prepareChangePlan";
import { prepareCreateSubscription } from "@dueday/chain/prepare/prepareCreateSubscription";
import { prepareEditDetails } from "@dueday/chain/prepare/prepareEditDetails";
import { prepareEditProviderProfile } from "@dueday/chain/prepare/prepareEditProviderProfile";
import { prepareRemit } from "@dueday/chain/prepare/prepareRemit";
import { prepareSubscribe } from "@dueday/chain/prepare/prepareSubscribe";
import { prepareUnsubscribe, prepareUnsubscribeByProvider } from "@dueday/chain/prepare/prepareUnsubscribe";
import type { DuedayMethods } from "../operationTypes";
import type { PlainMethods } from "../plainMethods";
import {
  requireCreation,
  requireEdit,
  requirePermit,
  requirePlanChange,
  requirePrepareInput,
  requirePrepareOn,
  requireProfileEdit,
  requireRemoval,
  requireRenewal,
  requireSubscribe,
} from "./inputs";
import { type LocalChain, preparesOf } from "./localChain";
import type { LocalOperation } from "./localOperation";
import { readOwnReadiness } from "./readOwnReadiness";

type LocalPrepares = Pick<DuedayMethods, Extract<LocalOperation, `prepare${string}`>>;

/** The prepares: each checks its input and calls the function that the service prepares with. Nothing here signs or sends. */
export function localPrepares(chain: LocalChain): LocalPrepares {
  const prepare = preparesOf(chain);
  const prepares: PlainMethods<keyof LocalPrepares> = {
    prepareCreateSubscription: prepare("prepare_create_subscription", requireCreation, prepareCreateSubscription),
    prepareSubscribe: prepare("prepare_subscribe", requireSubscribe, prepareSubscribe),
    prepareSubscribeById: prepare("prepare_subscribe_by_id", requireSubscribe, prepareSubscribe),
    prepareApprove: prepare("prepare_approve", requireRenewal, prepareApprove),
    prepareChangePlan: prepare("prepare_change_plan", requirePlanChange, prepareChangePlan),
    preparePermit: prepare("prepare_permit", requirePermit, preparePermit),
    prepareUnsubscribe: prepare("prepare_unsubscribe", requirePrepareOn, prepareUnsubscribe),
    prepareUnsubscribeById: prepare("prepare_unsubscribe_by_id", requirePrepareOn, prepareUnsubscribe),
    prepareUnsubscribeByProvider: prepare(
      "prepare_unsubscribe_by_provider",
      requireRemoval,
      prepareUnsubscribeByProvider,
    ),
    prepareUnsubscribeByProviderById: prepare(
      "prepare_unsubscribe_by_provider_by_id",
      requireRemoval,
      prepareUnsubscribeByProvider,
    ),
    prepareCancelSubscription: prepare("prepare_cancel_subscription", requirePrepareOn, prepareCancelSubscription),
    prepareCancelSubscriptionById: prepare(
      "prepare_cancel_subscription_by_id",
      requirePrepareOn,
      prepareCancelSubscription,
    ),
    prepareEditDetails: prepare("prepare_edit_details", requireEdit, prepareEditDetails),
    prepareEditProviderProfile: prepare(
      "prepare_edit_provider_profile",
      requireProfileEdit,
      prepareEditProviderProfile,
    ),
    prepareRemit: prepare("prepare_remit", requirePrepareInput, async (client, parameters) =>
      prepareRemit(client, { ...parameters, preflight: await readOwnReadiness(client, parameters) }),
    ),
  };
  // Which of the two forms an answer has follows from readinessOnly, which the functions of packages/chain read at run time.
  return prepares as LocalPrepares;
}
