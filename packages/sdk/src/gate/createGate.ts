import type { Address } from "viem";
import { type AccessToken, readToken, tokenKey, writeToken } from "./accessToken";
import { CheckoutError } from "./checkoutError";
import {
  type Checkout,
  type ReceivedProof,
  readEntitlement,
  type VerifyCheckoutOptions,
  verifyCheckout,
} from "./verifyCheckout";

export type GateOptions = Omit<VerifyCheckoutOptions, "reference"> & {
  /** Random text of at least 32 characters that only the seller's servers have. Anyone who knows it can admit any account. */
  secret: string;
  /** The longest time in seconds from the end of an entitlement until the visitor is refused. Default: 600. */
  endsWithinSeconds?: number | undefined;
  /** Seconds after which a visitor has to prove its account again. Default: 30 days. */
  sessionSeconds?: number | undefined;
};

/** A visitor who pays. `cookie` is the Set-Cookie header that the answer needs; null while the visitor's own is good. */
export type Visitor = { account: Address; cookie: string | null };

export type Gate = {
  /**
   * Checks what a browser brings back from a checkout, by `verifyCheckout`, and admits that browser.
   *
   * @throws CheckoutError with a `code` that names what is not proven
   */
  signIn(proof: ReceivedProof & { reference: string }): Promise<Checkout & { cookie: string }>;
  /**
   * The visitor that sends a request; null for one without a valid cookie, or who no longer pays.
   *
   * @throws CheckoutError UNAVAILABLE where the entitlement was not confirmed for `endsWithinSeconds`: the service does not answer, or is behind the chain
   */
  admit(request: Request): Promise<Visitor | null>;
  /** A handler for visitors who pay. Others get 403, or the answer of `refuse`; 503 where it is not known whether the visitor pays. */
  protect(
    handle: (request: Request, visitor: Visitor) => Promise<Response> | Response,
    refuse?: (request: Request) => Promise<Response> | Response,
  ): (request: Request) => Promise<Response>;
};

const ENDS_WITHIN_SECONDS = 600;
const SESSION_SECONDS = 30 * 86_400;
const REFUSED = "Only for those who pay for this plan. To show that you pay, go through its checkout";
/** How far clocks of the seller's servers may differ. */
const TOLERANCE_SECONDS = 60;

/**
 * Access for those who pay, on any server with `Request` and `Response`: a cookie with a token that is signed with the seller's secret and
 * bound to shop, chain, plan and account. When half of `endsWithinSeconds` is over, the next request asks the service again and renews the
 * cookie.
 *
 * @throws TypeError for a secret that is too short
 *
 * @example
 * const gate = await createGate({ secret, checkout: "https://pay.example", origin: "https://shop.example", chainId: 8453,
 *   subscription, dueday, client, consume });
 * const members = gate.protect((request, { account }) => new Response(`Welcome, ${account}`));
 */
export async function createGate({
  secret,
  endsWithinSeconds = ENDS_WITHIN_SECONDS,
  sessionSeconds = SESSION_SECONDS,
  ...options
}: GateOptions): Promise<Gate> {
  const key = await tokenKey(secret);
  const { dueday, chainId, now = Date.now } = options;
  const site = new URL(options.origin);
  const { origin } = site;
  const subscription: AccessToken["subscription"] = `0x${options.subscription.slice(2).toLowerCase()}`;
  const isSecure = site.protocol === "https:";
  const cookieName = isSecure ? "__Host-dueday_gate" : "dueday_gate";
  const seconds = () => now() / 1000;

  async function writeCookie(token: AccessToken): Promise<string> {
    const maxAge = Math.max(0, Math.floor(token.since + sessionSeconds - seconds()));
    // Lax, because a payer comes from the checkout, which is another site.
    const flags = `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
    return `${cookieName}=${await writeToken(key, token)}; ${flags}`;
  }

  async function readCookie(request: Request): Promise<AccessToken | null> {
    for (const cookie of (request.headers.get("Cookie") ?? "").split(";")) {
      const text = cookie.trim();
      if (!text.startsWith(`${cookieName}=`)) continue;
      const token = await readToken(key, text.slice(cookieName.length + 1));
      if (token !== null && isOfThisGate(token)) return token;
    }
    return null;
  }

  function isOfThisGate(token: AccessToken): boolean {
    const age = seconds() - token.since;
    const isBound = token.origin === origin && token.chainId === chainId && token.subscription === subscription;
    return isBound && age < sessionSeconds && seconds() - token.checked > -TOLERANCE_SECONDS;
  }

  async function admit(request: Request): Promise<Visitor | null> {
    const token = await readCookie(request);
    if (token === null) return null;
    const { account } = token;
    const age = seconds() - token.checked;
    if (age < endsWithinSeconds / 2) return { account, cookie: null };
    try {
      const checked = seconds();
      const { entitled } = await readEntitlement(dueday, { id: subscription, account, chainId });
      return entitled ? { account, cookie: await writeCookie({ ...token, checked }) } : null;
    } catch (error) {
      if (error instanceof CheckoutError && age < endsWithinSeconds) return { account, cookie: null };
      throw error;
    }
  }

  return {
    admit,
    async signIn({ message, signature, reference }) {
      // One by one: a proof that is passed as it arrived must not replace the shop's own facts.
      const checkout = await verifyCheckout({ ...options, message, signature, reference });
      const { account } = checkout;
      const since = seconds();
      const cookie = await writeCookie({ origin, chainId, subscription, account, since, checked: since });
      return { ...checkout, cookie };
    },
    protect(handle, refuse = () => new Response(REFUSED, { status: 403 })) {
      return async (request) => {
        let visitor: Visitor | null;
        try {
          visitor = await admit(request);
        } catch (error) {
          if (!(error instanceof CheckoutError)) throw error;
          return new Response("It can't be confirmed now whether you pay for this plan", {
            status: 503,
            headers: { "Retry-After": "10" },
          });
        }
        if (visitor === null) return refuse(request);
        const answer = await handle(request, visitor);
        const response = new Response(answer.body, answer);
        if (visitor.cookie !== null) response.headers.append("Set-Cookie", visitor.cookie);
        if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "private, no-store");
        return response;
      };
    },
  };
}
