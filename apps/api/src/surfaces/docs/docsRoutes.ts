import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AnyElysia, Elysia } from "elysia";
import type { Route } from "../../http/routes";
import { ERRORS_POLICY, renderErrorsPage } from "./errorsPage";

const PAGE = "/docs";
const ERRORS = "/docs/errors";
const SCRIPT = "/docs/scalar.js";
const OPENAPI = "/openapi.json";
const LLMS = "/llms.txt";

/** Seven days: the script changes only with the version of the service. */
const SCRIPT_CACHING = "public, max-age=604800";

/** The viewer writes scripts and styles into its own page. */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'";

/** Switches off everything in the viewer that requests another host, or links to one that processes the document. */
const withoutOtherHosts = {
  withDefaultFonts: false,
  proxyUrl: "",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
};

type Documents = {
  /** Makes the OpenAPI document. Called for the first request of it, because it takes longer than the rest of a start. */
  openApi: () => unknown;
  /** The text of /llms.txt. */
  llms: string;
  version: string;
};

/**
 * The OpenAPI document, the page that shows it, the page of all errors, and /llms.txt. The viewer's script is served from its npm package,
 * so the page works without any other host.
 */
export function docsRoutes({ openApi, llms, version }: Documents): Route[] {
  // A blob's bytes are shared by all answers with it, a string's are copied for each.
  let document: Blob | null = null;
  const script = Bun.file(
    join(dirname(fileURLToPath(import.meta.resolve("@scalar/api-reference"))), "browser", "standalone.js"),
  );
  let viewer: Promise<AnyElysia> | null = null;
  const page = (path: string, answer: Route["answer"]): Route => ({
    method: "GET",
    path,
    bucket: "unlimited",
    bodyLimit: 0,
    answer,
  });
  const sendFile = (body: Blob, headers: Record<string, string>) => async () => new Response(body, { headers });
  return [
    page(PAGE, async () => {
      viewer ??= createViewer(version);
      const response = await (await viewer).handle(new Request(`http://localhost${PAGE}`));
      response.headers.set("Content-Security-Policy", PAGE_POLICY);
      return response;
    }),
    page(
      ERRORS,
      sendFile(new Blob([renderErrorsPage()]), {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": ERRORS_POLICY,
      }),
    ),
    page(SCRIPT, sendFile(script, { "Content-Type": "text/javascript", "Cache-Control": SCRIPT_CACHING })),
    page(OPENAPI, async () => {
      document ??= new Blob([JSON.stringify(openApi())]);
      return new Response(document, { headers: { "Content-Type": "application/json" } });
    }),
    {
      method: "GET",
      path: LLMS,
      bucket: null,
      bodyLimit: 0,
      answer: sendFile(new Blob([llms]), {
        "Content-Type": "text/plain; charset=utf-8",
        "Cache-Control": "public, max-age=3600",
      }),
    },
  ];
}

/** An app that answers with the page. Its library, 4 MB in memory, is loaded for the first visitor of the page. */
async function createViewer(version: string): Promise<AnyElysia> {
  const { swagger } = await import("@elysiajs/swagger");
  const info = { title: "Dueday API", description: "Prepare and settle recurring payments", version };
  return new Elysia().use(
    swagger({
      path: PAGE,
      scalarCDN: SCRIPT,
      documentation: { info },
      // Without an icon in the page the browser requests /favicon.ico, which does not exist here.
      scalarConfig: { spec: { url: OPENAPI }, customCss: "", favicon: "data:,", ...withoutOtherHosts },
    }),
  );
}
