import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { Database } from "@dueday/db/connectDatabase";
import { readFrameOrigins } from "@dueday/db/selling/readFrameOrigins";
import { isHex, size } from "viem";
import type { Exchange } from "../../http/exchange";
import type { Route } from "../../http/routes";
import type { AppConfig } from "./appConfig";
import { contentPolicy } from "./contentPolicy";
import type { AppFolder } from "./readAppFolder";
import { sendFile } from "./sendFile";

const BUTTON_CACHE_SECONDS = 3_600;
const ID_BYTES = 32;
/** Parameters that a shop adds for one customer. Search engines may list the plan's checkout, but no address with these. */
const PERSONAL = ["reference", "return_url"];

export type CheckoutRoutesOptions = { config: AppConfig; database: Database };

/**
 * The checkout of a plan at /pay/:id, and the script of its button at /pay.js. A page of another origin may show the checkout in a frame
 * only where the seller of the plan lists that origin. The script first asks /pay/:id/frame-origins for these origins. While the database
 * does not answer, no page may show the checkout in a frame.
 */
export function checkoutRoutes({ checkout, button }: AppFolder, { config, database }: CheckoutRoutesOptions): Route[] {
  const sendCheckout = async (exchange: Exchange) => {
    // Where the database does not answer, the page itself shows that, and no origin is known to be listed.
    const origins = await frameOrigins(exchange, database).catch(() => []);
    return sendFile(exchange, checkout, {
      "Content-Security-Policy": contentPolicy(config, origins),
      "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
      // The origins whose frames may show it change without a change of the page.
      "Cache-Control": "no-store",
      ...(PERSONAL.some((key) => exchange.query.has(key)) && { "X-Robots-Tag": "noindex" }),
    });
  };
  // Shops ask from their own pages, whatever CORS_ORIGINS lists. The origins are public: the policy of the page contains them.
  const sendFrameOrigins = async (exchange: Exchange) =>
    Response.json(
      { frameOrigins: await frameOrigins(exchange, database) },
      { headers: { "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" } },
    );
  const sendButton = async (exchange: Exchange) =>
    sendFile(exchange, button, {
      "Cache-Control": `public, max-age=${BUTTON_CACHE_SECONDS}`,
      // Shops load it from their own pages.
      "Cross-Origin-Resource-Policy": "cross-origin",
    });
  return [
    { method: "GET", path: "/pay/:id", answer: sendCheckout, bucket: null, bodyLimit: 0, page: true },
    { method: "GET", path: "/pay/:id/frame-origins", answer: sendFrameOrigins, bucket: "cheap", bodyLimit: 0 },
    { method: "GET", path: "/pay.js", answer: sendButton, bucket: null, bodyLimit: 0 },
  ];
}

/** The origins that may show the requested checkout in a frame. @throws DatabaseError */
async function frameOrigins({ params, chain, chainFault }: Exchange, database: Database): Promise<readonly string[]> {
  const { id } = params;
  if (chainFault !== null || !isHex(id) || size(id) !== ID_BYTES) return [];
  const { chainId, contract } = chain.config;
  return readFrameOrigins(database, { chainId, contract, id: toLowerCase(id) });
}
