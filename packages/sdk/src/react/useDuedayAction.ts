import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { useConfig } from "wagmi";
import { getConnectorClient } from "wagmi/actions";
import { type DuedayActions, duedayActions } from "../actions/duedayActions";
import { DuedayError } from "../http/duedayError";
import { useDueday } from "./DuedayProvider";
import { renewQueries } from "./renewQueries";

type Parameters<A extends keyof DuedayActions> = NonNullable<globalThis.Parameters<DuedayActions[A]>[0]>;
type Result<A extends keyof DuedayActions> = DuedayActions[A] extends (...input: never) => Promise<infer R> ? R : never;

/** An action of the connected wallet: prepared by the service, checked, signed, mined. Then the shown answers are requested again. */
function useDuedayAction<A extends keyof DuedayActions>(
  action: A,
): UseMutationResult<Result<A>, DuedayError, Parameters<A>> {
  const { dueday, contract } = useDueday();
  const config = useConfig();
  const queryClient = useQueryClient();
  return useMutation<Result<A>, DuedayError, Parameters<A>>({
    mutationFn: (parameters) =>
      getConnectorClient(config)
        .then((wallet) => {
          const actions = duedayActions({ dueday, contract })(wallet);
          // Each action has its own parameters and result, which the compiler can't see while the name is generic.
          const run = actions[action] as (input: Parameters<A>) => Promise<Result<A>>;
          return run(parameters);
        })
        .catch((cause: unknown) => {
          throw asDuedayError(cause);
        }),
    onSuccess: () => renewQueries(queryClient),
  });
}

/** The one type of error of a mutation: what wagmi, the wallet or the node rejects with is the cause of a WALLET_FAILED. */
function asDuedayError(cause: unknown): DuedayError {
  if (DuedayError.is(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DuedayError("WALLET_FAILED", `The wallet did not complete the action: ${reason}`, { cause });
}

/**
 * Subscribes with the connected wallet, with an approval before it where one is needed: one batch where the wallet can.
 *
 * @example
 * const { mutate: subscribe, isPending, error } = useSubscribe();
 * <button disabled={isPending} onClick={() => subscribe({ id, approvalPeriods: 12 })}>Subscribe</button>
 */
export const useSubscribe = () => useDuedayAction("subscribe");
/** Ends the connected wallet's own subscription. */
export const useUnsubscribe = () => useDuedayAction("unsubscribe");
/** Changes from one subscription to another: one batch where the wallet can. */
export const useChangePlan = () => useDuedayAction("changePlan");
/** Ends the subscription of one subscriber, as its provider. */
export const useRemoveSubscriber = () => useDuedayAction("removeSubscriber");
/** Renews the approval for the next charges. */
export const useApprove = () => useDuedayAction("approve");
/** Sets the approvals that an account's health names as its repair. */
export const useRepairApprovals = () => useDuedayAction("repairApprovals");
/** Creates a subscription, as its provider. */
export const useCreateSubscription = () => useDuedayAction("createSubscription");
/** Cancels a subscription for all of its subscribers, as its provider. */
export const useCancelSubscription = () => useDuedayAction("cancelSubscription");
/** Replaces url and description of a subscription. */
export const useEditDetails = () => useDuedayAction("editDetails");
/** Replaces the profile of the connected wallet as a provider. */
export const useEditProviderProfile = () => useDuedayAction("editProviderProfile");
/** Settles what is due, as a keeper. */
export const useRemit = () => useDuedayAction("remit");
