import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import type { AppConfig } from "./config/appConfig";
import { Root } from "./Root";
import { ErrorState } from "./states/ErrorState";
import { Loading } from "./states/Loading";
import { NotFound } from "./states/NotFound";

/** The chain of a page is part of its address, unless it is the default one. */
export type ChainSearch = { chainId?: number | undefined };

export const rootRoute = createRootRouteWithContext<{ config: AppConfig }>()({
  validateSearch: ({ chainId }: Record<string, unknown>): ChainSearch =>
    Number.isSafeInteger(Number(chainId)) && Number(chainId) > 0 ? { chainId: Number(chainId) } : {},
  search: { middlewares: [retainSearchParams(["chainId"])] },
  component: Root,
});

const getParentRoute = () => rootRoute;

/** The text of a search parameter that has this form; the route goes without it otherwise. */
function textOf(value: unknown, form: RegExp): string | undefined {
  return typeof value === "string" && form.test(value) ? value : undefined;
}

/** The part of a page that is shown; without it the first one. */
const withTab = ({ tab }: Record<string, unknown>): { tab?: string | undefined } => ({
  tab: textOf(tab, /^[a-z-]{1,20}$/),
});

const start = createRoute({
  getParentRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/start/StartPage"), "StartPage"),
});

const sell = createRoute({
  getParentRoute,
  path: "/sell",
  component: lazyRouteComponent(() => import("./pages/sell/SellPage"), "SellPage"),
});

export const calendarRoute = createRoute({
  getParentRoute,
  path: "/calendar",
  validateSearch: ({
    month,
    day,
  }: Record<string, unknown>): { month?: string | undefined; day?: string | undefined } => ({
    month: textOf(month, /^\d{4}-\d{2}$/),
    day: textOf(day, /^\d{4}-\d{2}-\d{2}$/),
  }),
  component: lazyRouteComponent(() => import("./pages/calendar/CalendarPage"), "CalendarPage"),
});

const subscriptions = createRoute({
  getParentRoute,
  path: "/subscriptions",
  component: lazyRouteComponent(() => import("./pages/subscription/SubscriptionsPage"), "SubscriptionsPage"),
});

export const subscriptionRoute = createRoute({
  getParentRoute,
  path: "/subscriptions/$id",
  validateSearch: withTab,
  component: lazyRouteComponent(() => import("./pages/subscription/SubscriptionPage"), "SubscriptionPage"),
});

const accounts = createRoute({
  getParentRoute,
  path: "/accounts",
  component: lazyRouteComponent(() => import("./pages/account/AccountsPage"), "AccountsPage"),
});

export const accountRoute = createRoute({
  getParentRoute,
  path: "/accounts/$address",
  validateSearch: withTab,
  component: lazyRouteComponent(() => import("./pages/account/AccountPage"), "AccountPage"),
});

const providers = createRoute({
  getParentRoute,
  path: "/providers",
  component: lazyRouteComponent(() => import("./pages/provider/ProvidersPage"), "ProvidersPage"),
});

export const providerRoute = createRoute({
  getParentRoute,
  path: "/providers/$address",
  validateSearch: withTab,
  component: lazyRouteComponent(() => import("./pages/provider/ProviderPage"), "ProviderPage"),
});

const keepers = createRoute({
  getParentRoute,
  path: "/keepers",
  validateSearch: withTab,
  component: lazyRouteComponent(() => import("./pages/keepers/KeepersPage"), "KeepersPage"),
});

const developers = createRoute({
  getParentRoute,
  path: "/developers",
  component: lazyRouteComponent(() => import("./pages/developers/DevelopersPage"), "DevelopersPage"),
});

const status = createRoute({
  getParentRoute,
  path: "/status",
  component: lazyRouteComponent(() => import("./pages/status/StatusPage"), "StatusPage"),
});

const routeTree = rootRoute.addChildren([
  start,
  sell,
  calendarRoute,
  keepers,
  developers,
  status,
  subscriptions,
  subscriptionRoute,
  accounts,
  accountRoute,
  providers,
  providerRoute,
]);

export function createAppRouter(config: AppConfig) {
  return createRouter({
    routeTree,
    basepath: "/app",
    context: { config },
    defaultPreload: "intent",
    defaultPendingComponent: () => <Loading label="the page" lines={6} />,
    defaultErrorComponent: ({ error, reset }) => (
      <ErrorState error={toError(error)} title="This page could not be shown" onRetry={reset} />
    ),
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

/** What was thrown may be anything. */
function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
