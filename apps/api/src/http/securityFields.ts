/** Nothing of the service is a page but the docs, whose viewer writes scripts and styles of its own into it. */
const CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";

export const DOCS_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'";

/** What every answer tells a browser. Answers that lie ready bring them along. */
export const securityFields = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": CONTENT_POLICY,
} as const;
