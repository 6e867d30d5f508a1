import { PAGE_LIMIT, pagedListOf, pageFacts, pageFields } from "@dueday/core/paging";
import { Count, described, Nullable } from "@dueday/core/schema";
import type { FoundPermits, PermitPage } from "@dueday/db/permits/pagePermits";
import { type TSchema, Type } from "@sinclair/typebox";
import { answerLive } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import type { Context } from "../../operation/context";
import { inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { firstUpTo, skip } from "../../operation/paging";
import { type CountingPermit, countingPermits } from "./countingPermits";

const ENTRIES_BY_DEFAULT = 100;
/** How often one answer reads its page at most. */
const MOST_READS = 10;

/** Input of a list of kept permits: which page, and how much of it. */
export const permitPage = {
  first: firstUpTo(PAGE_LIMIT, ENTRIES_BY_DEFAULT),
  skip,
  after: inQuery(
    Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        expects: "nextAfter of the page before",
        description: "nextAfter of the page before. Goes on from there, however long the list is",
      }),
    ),
  ),
  ...detailInQuery,
};

/** What a summary of a list of kept permits leaves out. */
export const permitSummary = {
  omits: ["chainId", "spender", "valueRaw", "tokenDecimals", "nonce", "createdAt"].map((name) => `permits.${name}`),
};

/** The output of a list of kept permits. */
export function permitList<T extends TSchema>(view: T) {
  return chainAnswer({
    permits: described(
      pagedListOf(view),
      "Oldest first. Kept ones that do not count at asOf are left out, so a page may be short",
    ),
    ...pageFields,
    count: described(Count, "Kept permits of the whole list, as far as they are not known to be over"),
    nextAfter: Nullable({ ...Count, description: "Send it as after for the next page; null at the end" }),
  });
}

/**
 * Answers with those permits of a page that count at the newest block. Where all of a page are over, and so have left the list, the page
 * is read again: a client that goes on by skip could not pass an empty one.
 */
export function answerPermits<T>(
  context: Context,
  read: () => Promise<FoundPermits>,
  { skip, after, present }: Omit<PermitPage, "first"> & { present(permit: CountingPermit): T },
) {
  return answerLive(context, async (client, block) => {
    const readCounting = async () => {
      const found = await read();
      return { ...found, ...(await countingPermits(context, client, { permits: found.permits, block })) };
    };
    let page = await readCounting();
    for (let reads = 1; page.hasMore && page.over === page.permits.length && reads < MOST_READS; reads++)
      page = await readCounting();
    const { permits, count, hasMore, counting, over } = page;
    const left = { count: count - over, skip, shown: permits.length - over, more: hasMore };
    // A page that begins after a permit does not know its distance from the beginning, which skip counts.
    const { nextSkip } = after === undefined ? pageFacts(left) : {};
    return {
      permits: counting.map(present),
      count: left.count,
      hasMore,
      ...(nextSkip !== undefined && { nextSkip }),
      nextAfter: hasMore ? (permits.at(-1)?.seq ?? null) : null,
    };
  });
}
