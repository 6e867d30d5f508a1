import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { AppConfig } from "./config/appConfig";
import { filterIn, type PaymentFilter } from "./filter/paymentFilter";
import { Root } from "./Root";
import { ErrorState } from "./states/ErrorState";
import { Loading } from "./states/Loading";
import { lazyPart } from "./states/lazyPart";
import { NotFound } from "./states/NotFound";

/** The chain of a page is part of its address, unless it is the default one. */
export type ChainSearch = { chainId?: number | undefined };

export const rootRoute = createRootRouteWithContext<{ config: AppConfig }>()({
  validateSearch: ({ chainId }: Record<string, unknown>): ChainSearch =>
    Number.isSafeInteger(Number(chainId)) && Number(chainId) > 0 ? { chainId: Number(chainId) } : {},
  search: { middlewares: [retainSearchParams(["chainId"])] },
  component: Root,
});

/** About a window's height, so that what follows does not move after it has come into view. */
const PAGE_LINES = 30;

const getParentRoute = () => rootRoute;

/** The value of a search parameter where it has this form; otherwise the route ignores the parameter. */
function textOf(value: unknown, form: RegExp): string | undefined {
  return typeof value === "string" && form.test(value) ? value : undefined;
}

type WithTab = { tab?: string | undefined };

/** `tab` names the part of a page that is shown. Default: the first part. */
const withTab = ({ tab }: Record<string, unknown>): WithTab => ({ tab: textOf(tab, /^[a-z-]{1,20}$/) });

/** `withTab` with a filter, for a page that can be about some accounts, providers or plans. */
const withTabAndFilter = (search: Record<string, unknown>): WithTab & PaymentFilter => ({
  ...withTab(search),
  ...filterIn(search),
});

const lazyPage = (load: () => Promise<ComponentType>) =>
  lazyPart("the page", load, () => <Loading label="the page" lines={PAGE_LINES} />);

const start = createRoute({
  getParentRoute,
  path: "/",
  component: lazyPage(() => import("./pages/start/StartPage").then((module) => module.StartPage)),
});

export const myRoute = createRoute({
  getParentRoute,
  path: "/my",
  // A mistyped address is kept, so that the page can show that it is not valid.
  validateSearch: ({ account }: Record<string, unknown>): { account?: string | undefined } => ({
    account: textOf(account, /^.{1,100}$/),
  }),
  component: lazyPage(() => import("./pages/my/MyPage").then((module) => module.MyPage)),
});

const sell = createRoute({
  getParentRoute,
  path: "/sell",
  component: lazyPage(() => import("./pages/sell/SellPage").then((module) => module.SellPage)),
});

type CalendarSearch = PaymentFilter & { month?: string | undefined; day?: string | undefined };

export const calendarRoute = createRoute({
  getParentRoute,
  path: "/calendar",
  validateSearch: (search: Record<string, unknown>): CalendarSearch => ({
    month: textOf(search.month, /^\d{4}-\d{2}$/),
    day: textOf(search.day, /^\d{4}-\d{2}-\d{2}$/),
    ...filterIn(search),
  }),
  component: lazyPage(() => import("./pages/calendar/CalendarPage").then((module) => module.CalendarPage)),
});

const subscriptions = createRoute({
  getParentRoute,
  path: "/subscriptions",
  component: lazyPage(() =>
    import("./pages/subscription/SubscriptionsPage").then((module) => module.SubscriptionsPage),
  ),
});

export const subscriptionRoute = createRoute({
  getParentRoute,
  path: "/subscriptions/$id",
  validateSearch: withTab,
  component: lazyPage(() => import("./pages/subscription/SubscriptionPage").then((module) => module.SubscriptionPage)),
});

const accounts = createRoute({
  getParentRoute,
  path: "/accounts",
  component: lazyPage(() => import("./pages/account/AccountsPage").then((module) => module.AccountsPage)),
});

export const accountRoute = createRoute({
  getParentRoute,
  path: "/accounts/$address",
  validateSearch: withTabAndFilter,
  component: lazyPage(() => import("./pages/account/AccountPage").then((module) => module.AccountPage)),
});

const providers = createRoute({
  getParentRoute,
  path: "/providers",
  component: lazyPage(() => import("./pages/provider/ProvidersPage").then((module) => module.ProvidersPage)),
});

export const providerRoute = createRoute({
  getParentRoute,
  path: "/providers/$address",
  validateSearch: withTab,
  component: lazyPage(() => import("./pages/provider/ProviderPage").then((module) => module.ProviderPage)),
});

/** Address of a seller's home. It redirects to the first part of the provider's page. */
const seller = createRoute({
  getParentRoute,
  path: "/provider/$address",
  beforeLoad({ params }) {
    throw redirect({ to: "/providers/$address", params, replace: true });
  },
});

const keepers = createRoute({
  getParentRoute,
  path: "/keepers",
  validateSearch: withTabAndFilter,
  component: lazyPage(() => import("./pages/keepers/KeepersPage").then((module) => module.KeepersPage)),
});

const developers = createRoute({
  getParentRoute,
  path: "/developers",
  component: lazyPage(() => import("./pages/developers/DevelopersPage").then((module) => module.DevelopersPage)),
});

const status = createRoute({
  getParentRoute,
  path: "/status",
  component: lazyPage(() => import("./pages/status/StatusPage").then((module) => module.StatusPage)),
});

const pages = [
  start,
  myRoute,
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
  seller,
] as const;

const routeTree = rootRoute.addChildren(pages);

const BASE = "/app";
const partsOf = (path: string) => path.split("/").filter(Boolean);

/** Loads the code of the page at an address. Where it can't be loaded, the page says so when it is shown. */
export async function preloadPage(pathname: string): Promise<void> {
  const wanted = partsOf(pathname.slice(BASE.length));
  const page = pages.find(({ options }) => {
    // `path` is optional in the type of routes; each of these routes has one.
    const parts = partsOf("path" in options ? String(options.path) : "");
    return parts.length === wanted.length && parts.every((part, at) => part.startsWith("$") || part === wanted[at]);
  });
  await page?.options.component?.preload?.();
}

export function createAppRouter(config: AppConfig) {
  return createRouter({
    routeTree,
    basepath: BASE,
    context: { config },
    defaultPreload: "intent",
    defaultPendingComponent: () => <Loading label="the page" lines={PAGE_LINES} />,
    defaultErrorComponent: ({ error, reset }) => (
      <ErrorState error={toError(error)} title="This page could not be shown" onRetry={reset} />
    ),
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

/** A thrown value can have any type. */
function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
