import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { type Answer, type Call, callApi } from "./callApi";
import type { TestApi } from "./startTestApi";

/** A browser on a page of the developer portal: it sends the page's origin and keeps its cookie. */
export type PortalBrowser = {
  origin: string;
  /** The Cookie header that it sends; null without a session. */
  cookie: string | null;
  send(path: string, call?: Call): Promise<Answer>;
  challenge(address: string): Promise<string>;
  /** All of signing in: the challenge, the account's signature, the session. */
  signIn(account: PrivateKeyAccount): Promise<Answer>;
};

/** @param from the address of the browser, as a trusted proxy forwards it */
export function openPortalBrowser(api: Pick<TestApi, "url">, origin: string, from?: string): PortalBrowser {
  const browser: PortalBrowser = {
    origin,
    cookie: null,
    async send(path, call = {}) {
      const headers = {
        ...(call.method === undefined || call.method === "GET" ? {} : { Origin: origin }),
        ...(browser.cookie === null ? {} : { Cookie: browser.cookie }),
        ...call.headers,
      };
      const answer = await callApi(api, path, { ...(from === undefined ? {} : { from }), ...call, headers });
      const given = answer.headers.get("set-cookie");
      if (given !== null) {
        const [pair = ""] = given.split(";");
        browser.cookie = given.includes("Max-Age=0") ? null : pair;
      }
      return answer;
    },
    async challenge(address) {
      const { body } = await browser.send("/portal/challenge", { method: "POST", body: { address } });
      return String(body.message);
    },
    async signIn(account) {
      const message = await browser.challenge(account.address);
      const signature = await account.signMessage({ message });
      return browser.send("/portal/session", { method: "POST", body: { message, signature } });
    },
  };
  return browser;
}

/** An account that no other test has. */
export function someWallet(): PrivateKeyAccount {
  return privateKeyToAccount(`0x${crypto.getRandomValues(Buffer.alloc(32)).toString("hex")}`);
}
