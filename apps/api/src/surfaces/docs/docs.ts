import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { swagger } from "@elysiajs/swagger";
import { type AnyElysia, Elysia } from "elysia";
import type { Route } from "../../http/routeTable";
import type { Service } from "../../http/service";
import { createOpenApi } from "../openapi/openapi";

/** The pages beside the operations: their routes for the gate, and the Elysia routes that answer them. */
export type DocsPages = { routes: Route[]; plugin(): AnyElysia };

export const DOCS_PATH = "/docs";
const SCRIPT = "/docs/scalar.js";
const OPENAPI = "/openapi.json";

/** Seven days: the script changes only with the version of the service. */
const SCRIPT_CACHING = "public, max-age=604800";

/** Everything in the viewer that would call another host, or lead to one that makes something of the document, is off. */
const withoutOtherHosts = {
  withDefaultFonts: false,
  proxyUrl: "",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
};

/**
 * The OpenAPI document, and a page that shows it. The page's script comes from the npm package and is served from here, so
 * the page works without any network.
 */
export function createDocsPages(service: Service): DocsPages {
  const openApi = JSON.stringify(createOpenApi(service));
  const script = Bun.file(
    join(dirname(fileURLToPath(import.meta.resolve("@scalar/api-reference"))), "browser", "standalone.js"),
  );
  const page = (path: string): Route => ({
    method: "GET",
    path,
    bucket: "unlimited",
    bodyLimitBytes: 0,
    operation: null,
  });

  return {
    routes: [page(DOCS_PATH), page(SCRIPT), page(OPENAPI)],
    plugin: () =>
      new Elysia()
        .use(
          swagger({
            path: DOCS_PATH,
            scalarCDN: SCRIPT,
            documentation: {
              info: {
                title: "Dueday API",
                description: "Prepare and settle recurring payments",
                version: service.version,
              },
            },
            // Without an icon of its own the browser would ask for /favicon.ico, which is not here.
            scalarConfig: { spec: { url: OPENAPI }, customCss: "", favicon: "data:,", ...withoutOtherHosts },
          }),
        )
        .get(
          SCRIPT,
          () =>
            new Response(script, { headers: { "Content-Type": "text/javascript", "Cache-Control": SCRIPT_CACHING } }),
        )
        .get(OPENAPI, () => new Response(openApi, { headers: { "Content-Type": "application/json" } })),
  };
}
