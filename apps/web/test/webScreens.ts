import type { Devnet } from "@dueday/devnet/startDevnet";
import type { Page, Route } from "playwright-core";

/** A state of the service that pages show differently. */
export const screenStates = ["full", "stale", "error", "limited"] as const;
export type ScreenState = (typeof screenStates)[number];

/** Paths below /app, by name. The ids and accounts are those of the demo. */
export function screenPaths({ subscriptions, keeper }: Pick<Devnet, "subscriptions" | "keeper">, provider: string) {
  const [subscription = "0x"] = Object.values(subscriptions);
  return {
    overview: "",
    calendar: "/calendar",
    subscriptions: "/subscriptions",
    subscription: `/subscriptions/${subscription}`,
    account: `/accounts/${keeper.address}`,
    provider: `/providers/${provider}`,
    keepers: "/keepers",
    developers: "/developers",
    status: "/status",
  };
}

/** Pages that need no wallet and no session. */
export const readingPages = ["overview", "calendar", "keepers", "status"] as const;

const isOfApp = (url: URL) => url.pathname.startsWith("/app") || url.pathname === "/events";

/** Puts the service into a state for one page, by changing its answers on their way. */
export async function applyState(page: Page, state: ScreenState): Promise<void> {
  if (state === "full") return;
  await page.route(
    (url) => !isOfApp(url),
    (route) => answers[state](route),
  );
}

const answers: Readonly<Record<Exclude<ScreenState, "full">, (route: Route) => Promise<void>>> = {
  async stale(route) {
    const response = await route.fetch();
    const answer = await response.json();
    if (answer.asOf !== undefined) answer.asOf.stale = true;
    await route.fulfill({ response, json: answer });
  },
  error: (route) => refuse(route, 502, { code: "UPSTREAM_ERROR", error: "The chain's node answered with an error" }),
  limited: (route) =>
    refuse(route, 429, { code: "RATE_LIMITED", error: "Too many requests", lane: "free" }, { "Retry-After": "40" }),
};

function refuse(route: Route, status: number, body: object, headers: Record<string, string> = {}): Promise<void> {
  const requestId = "00000000-0000-4000-8000-000000000000";
  return route.fulfill({ status, headers, json: { ...body, requestId } });
}

/** Waits until a page shows no placeholder. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.locator("main h1").waitFor();
  await page.locator('main [role="status"][aria-label^="Loading"]').first().waitFor({ state: "detached" });
}
