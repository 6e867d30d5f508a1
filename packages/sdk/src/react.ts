/** Hooks for React, on TanStack Query and wagmi. */
export { DuedayProvider, type DuedayProviderProps, useDueday } from "./react/DuedayProvider";
export { renewQueries } from "./react/renewQueries";
export {
  useApprove,
  useCancelSubscription,
  useChangePlan,
  useCreateSubscription,
  useEditDetails,
  useEditProviderProfile,
  useRemit,
  useRemoveSubscriber,
  useRepairApprovals,
  useSubscribe,
  useUnsubscribe,
} from "./react/useDuedayAction";
export {
  DUEDAY_KEY,
  type DuedayQueryOptions,
  useAccount,
  useAccountActivity,
  useAccountHealth,
  useApprovedTokens,
  useDue,
  useDuedayQuery,
  useEntitlement,
  useProtocolState,
  useProviderCohorts,
  useProviderMetrics,
  useProviderProfile,
  useReadiness,
  useSubscribers,
  useSubscription,
  useSubscriptionHistory,
} from "./react/useDuedayQuery";
export { type EventsState, type UseEventsOptions, useEvents } from "./react/useEvents";
