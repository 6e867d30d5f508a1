import type { BlockStamp } from "@dueday/core/snapshots/snapshot";
import { securityFields } from "./securityFields";

/** An answer made from a snapshot, as responses that are cloned for each request. */
export type ReadyAnswer = {
  etag: string;
  text: string;
  full: Response;
  /** For a client that already has the answer: a 304 without body and Content-Type. */
  notModified: Response;
};

/** One answer made from a snapshot, in both variants; each is made at its first request. */
export type Rendering = { at(stale: boolean): ReadyAnswer };

type Stamped = { stamp: BlockStamp; computedAt: number; confirmedAt: number | null };

/**
 * Prepares an answer. Its tag is a hash of the answer without `asOf`, and one digit for staleness. The tag changes when the content
 * changes or becomes stale, and does not change when a newer block has the same content.
 *
 * @param value the answer without `asOf`
 * @param stamped the source of `asOf` and X-As-Of; a bare answer has no `asOf`
 */
export function createRendering(value: object, stamped: Stamped, bare = false): Rendering {
  const text = JSON.stringify(value);
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 22);
  const made: Partial<Record<"fresh" | "stale", ReadyAnswer>> = {};

  function make(stale: boolean): ReadyAnswer {
    const { stamp, computedAt, confirmedAt } = stamped;
    const { blockNumber, blockHash, blockTimestamp } = stamp;
    const asOf = {
      ...stamp,
      computedAt: new Date(computedAt).toISOString(),
      ...(confirmedAt === null ? {} : { confirmedAt: new Date(confirmedAt).toISOString() }),
      source: "snapshot",
      stale,
    };
    const digit = stale ? 1 : 0;
    const etag = `W/"${hash}.${digit}"`;
    const headers = {
      ...securityFields,
      ETag: etag,
      "Cache-Control": "private, no-cache",
      "X-As-Of": `${blockNumber};${blockHash};${blockTimestamp};${digit}`,
    };
    const whole = bare ? text : `${text.slice(0, -1)},"asOf":${JSON.stringify(asOf)}}`;
    const full = new Response(new Blob([whole]), { headers: { ...headers, "Content-Type": "application/json" } });
    const notModified = new Response(null, { status: 304, headers });
    return { etag, text: whole, full, notModified };
  }

  return {
    at(stale) {
      const key = stale ? "stale" : "fresh";
      made[key] ??= make(stale);
      return made[key];
    },
  };
}

/** Whether an If-None-Match header matches a tag (weak comparison; `*` matches any). */
export function matchesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch === "*") return true;
  const opaque = etag.slice(2);
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaque);
}
