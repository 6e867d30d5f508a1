import type { Dueday, DuedayEvent, Operations } from "@dueday/sdk";

type Input = Omit<Operations["listEvents"]["input"], "first" | "after">;

export type ReadEvents = { events: DuedayEvent[]; nextAfter: number; hasMore: boolean };

const PAGE = 200;
/** With the two requests of the frame a page stays within its six. */
const MOST_REQUESTS = 4;

/**
 * Events oldest first, on from a seq: up to the newest, or as far as four requests reach. A page of the service can be empty although more
 * events follow, because it is as long as what the filter was tried on.
 *
 * @param after null for the oldest that is kept
 */
export async function readEvents(
  dueday: Pick<Dueday, "listEvents">,
  input: Input,
  after: number | null,
  options: { signal: AbortSignal },
): Promise<ReadEvents> {
  const events: DuedayEvent[] = [];
  let place = after;
  for (let requests = 1; ; requests++) {
    const page = await dueday.listEvents({ ...input, first: PAGE, ...(place !== null && { after: place }) }, options);
    events.push(...page.events);
    const { nextAfter, hasMore } = page;
    if (!hasMore || requests === MOST_REQUESTS) return { events, nextAfter, hasMore };
    place = nextAfter;
  }
}
