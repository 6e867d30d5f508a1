import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { CallOptions } from "../callOptions";
import type { Prepared, ReadinessOnly } from "../duedayMethod";
import type { DuedayError } from "../http/duedayError";
import type { OperationName, Operations, PrepareName } from "../operationTypes";
import { useDueday } from "./DuedayProvider";

export type DuedayQueryOptions = Pick<CallOptions, "chainId" | "minBlock"> & {
  /** False: nothing is asked, for example while an input is not known yet. */
  enabled?: boolean | undefined;
  /**
   * Milliseconds between polls. The response has no body where the service confirms an unchanged answer (304). Default: none; `useEvents`
   * renews what is shown.
   */
  refetchInterval?: number | false | undefined;
  /** Milliseconds for which an answer is shown without being asked for again. Default: that of the QueryClient. */
  staleTime?: number | undefined;
};

/** The first part of every key, for `queryClient.invalidateQueries`. */
export const DUEDAY_KEY = "dueday";

/**
 * Any operation as a query: its data is the answer, its error a DuedayError. Where `input` is null, nothing is asked. A prepare's data is
 * what is to be signed, or with `readinessOnly: true` the other form of its answer.
 *
 * @example
 * const { data, error } = useDuedayQuery("getRemitForecast", { account });
 */
export function useDuedayQuery<N extends PrepareName>(
  name: N,
  input: (Operations[N]["input"] & { readinessOnly?: false | undefined }) | null,
  options?: DuedayQueryOptions,
): UseQueryResult<Prepared<Operations[N]["output"]>, DuedayError>;
export function useDuedayQuery<N extends PrepareName>(
  name: N,
  input: (Operations[N]["input"] & { readinessOnly: true }) | null,
  options?: DuedayQueryOptions,
): UseQueryResult<ReadinessOnly<Operations[N]["output"]>, DuedayError>;
export function useDuedayQuery<N extends OperationName>(
  name: N,
  input: Operations[N]["input"] | null,
  options?: DuedayQueryOptions,
): UseQueryResult<Operations[N]["output"], DuedayError>;
export function useDuedayQuery<N extends OperationName>(
  name: N,
  input: Operations[N]["input"] | null,
  { chainId, minBlock, enabled = true, refetchInterval, staleTime }: DuedayQueryOptions = {},
): UseQueryResult<Operations[N]["output"], DuedayError> {
  const { dueday } = useDueday();
  return useQuery<Operations[N]["output"], DuedayError>({
    // Keys are stored as JSON, which has no bigint.
    queryKey: [DUEDAY_KEY, name, input, chainId ?? null, minBlock === undefined ? null : String(minBlock)],
    queryFn: ({ signal }) => {
      // Each method has the input and output of its operation, which the compiler can't see while the name is generic.
      const method = dueday[name] as (
        input: Operations[N]["input"] | null,
        options: CallOptions,
      ) => Promise<Operations[N]["output"]>;
      return method(input, { signal, chainId, minBlock });
    },
    enabled: enabled && input !== null,
    // The client has already retried the calls that may succeed.
    retry: false,
    ...(refetchInterval !== undefined && { refetchInterval }),
    ...(staleTime !== undefined && { staleTime }),
  });
}

/** One subscription. */
export const useSubscription = named("getSubscription");
/** Whether an account may use what it subscribed to, and until when. */
export const useEntitlement = named("getEntitlement");
/** A page of a subscription's active subscribers. */
export const useSubscribers = named("getSubscribers");
/** What happened on a subscription. */
export const useSubscriptionHistory = named("getSubscriptionHistory");
/** What an account subscribed to and what it created. */
export const useAccount = named("getAccount");
export const useAccountHealth = named("getAccountHealth");
/** What an account did and what happened to it. */
export const useAccountActivity = named("getAccountActivity");
/** The latest profile of a provider. */
export const useProviderProfile = named("getProviderProfile");
/** Members and recurring revenue of a provider by period. */
export const useProviderMetrics = named("getProviderMetrics");
/** Members of a provider by the month of their first charge. */
export const useProviderCohorts = named("getProviderCohorts");
/** What is due on a day; today without one. */
export const useDue = named("getSubscriptionsDue");
/** Whether remit() has work, and the plan. */
export const useReadiness = named("getRemitReadiness");
/** Fees, limits, and how far payments are settled. */
export const useProtocolState = named("getProtocolState");
/** Tokens for subscriptions, and whether the protocol approves them. */
export const useApprovedTokens = named("listApprovedTokens");

/** The query of one operation. Its input may be left out where the operation needs none. */
export type NamedQuery<N extends OperationName> = (
  ...args: Record<never, never> extends Operations[N]["input"]
    ? [input?: Operations[N]["input"] | null, options?: DuedayQueryOptions]
    : [input: Operations[N]["input"] | null, options?: DuedayQueryOptions]
) => UseQueryResult<Operations[N]["output"], DuedayError>;

function named<N extends OperationName>(name: N): NamedQuery<N> {
  return (...[input, options]) => useDuedayQuery(name, input === undefined ? {} : input, options);
}
