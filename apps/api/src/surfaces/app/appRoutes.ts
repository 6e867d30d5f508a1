import { ServiceError } from "@dueday/core/errors";
import type { Exchange } from "../../http/exchange";
import type { Route } from "../../http/routes";
import type { AppConfig } from "./appConfig";
import { contentPolicy } from "./contentPolicy";
import type { AppFolder } from "./readAppFolder";
import { sendFile } from "./sendFile";

const APP = "/app";
const CONFIG = "/app/config.json";
const FOREVER = "public, max-age=31536000, immutable";

/**
 * The web app: its page at /app and at every address below it, because the page itself evaluates the address; its files, whose names
 * change with their content; and its configuration. These routes take from no bucket, which leaves a visitor's limits for data.
 */
export function appRoutes({ page, pages, files }: AppFolder, config: AppConfig): Route[] {
  const pageHeaders = {
    "Content-Security-Policy": contentPolicy(config),
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "no-cache",
  };
  const settings = new Blob([JSON.stringify(config)]);
  const sendPage = async (exchange: Exchange) =>
    sendFile(exchange, pages.get(pageName(exchange.path)) ?? page, pageHeaders);
  const sendBelow = async (exchange: Exchange) => {
    const path = exchange.path.slice(APP.length + 1);
    const file = files.get(path);
    if (file !== undefined) return sendFile(exchange, file, { "Cache-Control": FOREVER });
    // A page that was loaded before an update asks for files that are gone.
    if (path.startsWith("assets/"))
      throw new ServiceError("NOT_FOUND", "No such file of the web app: load the page again");
    return sendPage(exchange);
  };
  const route = (path: string, answer: Route["answer"]): Route => ({
    method: "GET",
    path,
    answer,
    bucket: null,
    bodyLimit: 0,
    page: true,
  });
  return [
    route(APP, sendPage),
    route(CONFIG, async () => {
      const headers = { "Content-Type": "application/json", "Cache-Control": "no-cache" };
      return new Response(settings, { headers });
    }),
    route(`${APP}/*`, sendBelow),
  ];
}

/** The name of the page at an address: `start` at /app, `accounts` at /app/accounts, `account` at an address below that. */
function pageName(path: string): string {
  const [list = "start", item] = path.slice(APP.length).split("/").filter(Boolean);
  return item === undefined ? list : list.replace(/s$/, "");
}

/** Sends a browser that asks for `/` to the app; every other client gets the answer of the route. */
export function redirectBrowsers(routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    if (route.path !== "/" || route.method !== "GET") return route;
    const answer = async (exchange: Exchange) => {
      const accepted = exchange.request.headers.get("accept") ?? "";
      if (/\btext\/html\b/.test(accepted)) {
        return new Response(null, { status: 302, headers: { Location: APP, Vary: "Accept" } });
      }
      const response = await route.answer(exchange);
      response.headers.append("Vary", "Accept");
      return response;
    };
    return { ...route, answer };
  });
}
