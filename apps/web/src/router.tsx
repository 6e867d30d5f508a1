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

/** As high as a window: what follows comes into view only where it stays. */
const PAGE_LINES = 30;

const getParentRoute = () => rootRoute;

/** The text of a search parameter that has this form; the route goes without it otherwise. */
function textOf(value: unknown, form: RegExp): string | undefined {
  return typeof value === "string" && form.test(value) ? value : undefined;
}

type WithTab = { tab?: string | undefined };

/** The part of a page that is shown; without it the first one. */
const withTab = ({ tab }: Record<string, unknown>): WithTab => ({ tab: textOf(tab, /^[a-z-]{1,20}$/) });

/** The same on a page that can be about some accounts, providers or plans. */
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
  // An address that is mistyped is shown as such.
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

/** The address of a seller's home, which is the first part of its page. */
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
    // Optional for routes in general; each of these has one.
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

/** What was thrown may be anything. */
function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
