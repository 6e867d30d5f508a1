import { isSameSecret } from "@dueday/config/isSameSecret";

/** Wrong passwords in a minute, of all clients together: the page is for the operator alone. */
const FAILED_LOGINS = 30;
const WINDOW_MS = 60_000;

export type LoginDecision = "accepted" | "refused" | { retryAfterSeconds: number };

/**
 * Checks the password of HTTP Basic, with any user name. After 30 wrong ones in a minute none is compared until the minute is
 * over, the right one included. A request without a password does not count: browsers send one before they ask for the password.
 *
 * @param clock milliseconds that never go back, such as `performance.now`
 */
export function createLoginCheck(secret: string, clock: () => number): (request: Request) => LoginDecision {
  let failed = 0;
  let windowEndsAt = 0;

  return (request) => {
    const password = passwordOf(request);
    if (password === null) return "refused";
    const now = clock();
    if (now >= windowEndsAt) {
      failed = 0;
      windowEndsAt = now + WINDOW_MS;
    }
    if (failed >= FAILED_LOGINS) return { retryAfterSeconds: Math.ceil((windowEndsAt - now) / 1000) };
    if (isSameSecret(password, secret)) return "accepted";
    failed++;
    return "refused";
  };
}

function passwordOf(request: Request): string | null {
  const [scheme = "", credentials = ""] = (request.headers.get("authorization") ?? "").split(" ");
  if (scheme.toLowerCase() !== "basic") return null;
  const text = Buffer.from(credentials, "base64").toString();
  return text.slice(text.indexOf(":") + 1);
}
