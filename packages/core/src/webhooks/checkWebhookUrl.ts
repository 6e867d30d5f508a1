import type { IssueCode } from "../codes";
import type { Issue } from "../errors";
import { isLoopbackAddress, isPublicAddress } from "./isPublicAddress";

/** Longest URL of a webhook. */
export const URL_LENGTH = 2_048;

/** A URL that a webhook may have, its host not yet resolved; or what is wrong with it. */
export type CheckedUrl = { url: URL; issue: null } | { url: null; issue: Pick<Issue, "code" | "message"> };

export type WebhookUrlRules = {
  /** Accept URLs of the machine itself, with http or https and any port, for trials on one machine. */
  toLoopback: boolean;
};

const FORM = "an absolute https URL, such as https://example.com/hooks";

/** Judges a URL by its text alone. Its host's addresses are judged by `resolveWebhookHost`, at each use. */
export function checkWebhookUrl(text: string, { toLoopback }: WebhookUrlRules): CheckedUrl {
  // The parser drops tabs and line breaks, and spaces at the ends.
  if (text.length > URL_LENGTH || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return refuse("MALFORMED", FORM);
  // The parser turns an IPv4 address in decimal, octal, hex or full-width digits into four decimal parts.
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    return refuse("NOT_ALLOWED", "a URL without user name and password: verify the signature instead");
  if (url.hash !== "") return refuse("NOT_ALLOWED", "a URL without a fragment (#...), which is never sent");
  if (toLoopback && isLoopbackHost(url) && ["http:", "https:"].includes(url.protocol)) return { url, issue: null };
  if (url.protocol !== "https:") return refuse("NOT_ALLOWED", FORM);
  if (url.port !== "" && Number(url.port) < 1_024)
    return refuse("NOT_ALLOWED", "a URL with port 443, or one above 1023");
  const address = addressOf(url);
  if (address !== null && !isPublicAddress(address))
    return refuse("NOT_ALLOWED", "a URL of a host on the public internet: this address is private, local or reserved");
  return { url, issue: null };
}

/** The host's address where the URL has one instead of a name. */
export function addressOf({ hostname }: URL): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : null;
}

/** The host of a webhook's URL, in one form for all URLs of that host: without port, brackets and the dot at the end. */
export function hostOf(url: string): string {
  const { hostname } = new URL(url);
  return hostname.replace(/^\[|\]$|\.$/g, "");
}

/** Whether the URL names the machine itself. A name that only resolves to it does not count. */
export function isLoopbackHost(url: URL): boolean {
  return url.hostname === "localhost" || isLoopbackAddress(addressOf(url) ?? "");
}

function refuse(code: IssueCode, expected: string): CheckedUrl {
  return { url: null, issue: { code, message: `must be ${expected}` } };
}
