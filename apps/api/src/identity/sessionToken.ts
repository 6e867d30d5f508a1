import { randomBytes } from "node:crypto";

/** What a browser that is signed in sends in its cookie: 256 random bits. The database stores its SHA-256 only. */

const BYTES = 32;
/** base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * With the prefix `__Host-` browsers accept the cookie from this host over https alone, so that no other host of the domain can set it.
 * They do not accept such a cookie over http, which the portal uses on this machine only.
 */
function cookieName(secure: boolean): string {
  return secure ? "__Host-dueday_session" : "dueday_session";
}

/** Creates a token. Its text goes into one cookie, and nowhere else. */
export function createSessionToken(): { text: string; hash: string } {
  const text = randomBytes(BYTES).toString("base64url");
  return { text, hash: sha256(text) };
}

/** SHA-256 (hex) of the token in a Cookie header; null where it has none. */
export function readSessionToken(cookies: string | null, secure: boolean): string | null {
  if (cookies === null) return null;
  const start = `${cookieName(secure)}=`;
  for (const cookie of cookies.split(";")) {
    const text = cookie.trim();
    if (!text.startsWith(start)) continue;
    const value = text.slice(start.length);
    if (TOKEN.test(value)) return sha256(value);
  }
  return null;
}

/** The Set-Cookie header that gives a browser its token for `seconds`. */
export function sessionCookie(text: string, seconds: number, secure: boolean): string {
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return `${cookieName(secure)}=${text}; ${flags}${secure ? "; Secure" : ""}`;
}

/** The Set-Cookie header that removes the token. */
export function expiredCookie(secure: boolean): string {
  return sessionCookie("", 0, secure);
}

export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
