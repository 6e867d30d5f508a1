import type { Page, Route } from "playwright-core";

/** States of the service that every page shows differently from the usual one. */
export const webStates = ["stale", "error", "limited"] as const;
export type WebState = (typeof webStates)[number];

const isOfApp = ({ pathname }: URL) => /^\/(?:app|pay)\b/.test(pathname) || pathname === "/events";

/** Puts the service into a state for one page, by changing its answers on their way. `null`: as it is. */
export async function applyState(page: Page, state: WebState | null): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  if (state === null) return;
  await page.route(
    (url) => !isOfApp(url),
    (route) => answers[state](route),
  );
}

const answers: Readonly<Record<WebState, (route: Route) => Promise<void>>> = {
  async stale(route) {
    const response = await route.fetch();
    const answer = await response.json();
    if (answer.asOf !== undefined) answer.asOf.stale = true;
    await route.fulfill({ response, json: answer });
  },
  error: (route) =>
    refuse(route, 503, { code: "UPSTREAM_UNAVAILABLE", error: "The chain's node can't be reached" }, "60"),
  limited: (route) => refuse(route, 429, { code: "RATE_LIMITED", error: "Too many requests", lane: "free" }, "40"),
};

function refuse(route: Route, status: number, body: object, retryAfter: string): Promise<void> {
  const requestId = "00000000-0000-4000-8000-000000000000";
  return route.fulfill({ status, headers: { "Retry-After": retryAfter }, json: { ...body, requestId } });
}
