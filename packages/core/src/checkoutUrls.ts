/** Names of this machine, for trials. */
const LOOPBACK = ["localhost", "127.0.0.1"];
/**
 * The hosts that are allowed. Others can have characters such as `*` and `;`, which are syntax in the content policy
 * that lists the origins.
 */
const HOST = /^[a-z0-9.-]+$/;

export type UrlRules = {
  /** Whether http URLs of this machine are allowed too. */
  toLoopback: boolean;
};

/** Whether a text is exactly an https origin, such as `https://shop.example`: no path, no slash at the end. */
export function isCheckoutOrigin(text: string, rules: UrlRules): boolean {
  const url = parse(text, rules);
  return url !== null && url.origin === text;
}

/** Whether a text is exactly the origin and path of an https page, without user, query and fragment. */
export function isReturnPage(text: string, rules: UrlRules): boolean {
  const url = parse(text, rules);
  return url !== null && `${url.origin}${url.pathname}` === text;
}

/** Whether a text is an https URL without a user. */
export function isHttpsUrl(text: string, rules: UrlRules): boolean {
  return parse(text, rules) !== null;
}

/** Whether a URL is one of the listed pages. Its query is free: shops put their own state there. */
export function isAllowedReturn(text: string, returnUrls: readonly string[]): boolean {
  // Loopback is allowed here, because the list was checked when it was stored.
  const url = parse(text, { toLoopback: true });
  return url !== null && url.hash === "" && returnUrls.includes(`${url.origin}${url.pathname}`);
}

function parse(text: string, { toLoopback }: UrlRules): URL | null {
  // URL parsers remove or replace these characters, so a person may see another URL than a program.
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isAllowed =
    url.protocol === "https:" || (toLoopback && url.protocol === "http:" && LOOPBACK.includes(url.hostname));
  return isAllowed && HOST.test(url.hostname) && url.username === "" && url.password === "" ? url : null;
}
