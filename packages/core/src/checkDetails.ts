import type { IssueCode } from "./codes";
import type { Issue } from "./errors";

/** Longest details.url and details.description, in UTF-8 bytes. */
export const URL_LIMIT_BYTES = 2_048;
export const DESCRIPTION_LIMIT_BYTES = 4_096;

const CONTROL = /\p{Cc}/u;
/** Characters that browsers and people overlook before and inside a scheme: spaces, invisible and control characters. */
const OVERLOOKED = /[\s\p{Z}\p{C}]/gu;
const RUNS_CODE = /^(javascript|data|vbscript):/i;

/** Faults in the details of a subscription; `path` of the issues is `details.url` or `details.description`. */
export function checkDetails({ url, description }: { url: string; description: string }): Issue[] {
  return checkTexts("details", { url, description });
}

/** Faults in the profile of a provider; `path` of the issues is `profile.url` and so on. */
export function checkProfile(profile: Readonly<Record<string, string>> & { url: string }): Issue[] {
  return checkTexts("profile", profile);
}

function checkTexts(path: string, { url, ...others }: Readonly<Record<string, string>> & { url: string }): Issue[] {
  const issues: Issue[] = [];
  const refuse = (field: string, code: IssueCode, message: string) =>
    issues.push({ code, path: `${path}.${field}`, message });
  const limitLength = (field: string, text: string, limit: number) => {
    const length = byteLength(text);
    if (length > limit) refuse(field, "WRONG_LENGTH", `must be at most ${limit} bytes of UTF-8; it has ${length}`);
  };
  limitLength("url", url, URL_LIMIT_BYTES);
  for (const [field, text] of Object.entries(others)) limitLength(field, text, DESCRIPTION_LIMIT_BYTES);
  if (CONTROL.test(url)) refuse("url", "NOT_ALLOWED", "must not hold control characters");
  const scheme = RUNS_CODE.exec(url.replace(OVERLOOKED, ""))?.[1];
  if (scheme !== undefined) refuse("url", "NOT_ALLOWED", `must not be a ${scheme.toLowerCase()}: address`);
  for (const [field, text] of Object.entries({ url, ...others })) {
    if (!text.isWellFormed()) refuse(field, "MALFORMED", "must be well-formed text: it holds half a surrogate pair");
  }
  return issues;
}

/** Whether a url deserves a warning: it is neither empty nor https. */
export function isUnusualUrl(url: string): boolean {
  return url !== "" && !/^https:\/\/[^\s/]/i.test(url);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
