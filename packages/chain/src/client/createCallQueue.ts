/** What the queue has to know of a call. */
export type Queued = { priority: number };

export type CallQueue<T extends Queued> = {
  /** False where too many calls of this priority wait already: then nothing was added. */
  add(item: T): boolean;
  /** Puts items back before all others of their priority, in this order. */
  putBack(items: readonly T[]): void;
  size(): number;
  /**
   * Removes and returns the next items, all of one priority: the first, and those after it while `joins` returns true. `mayStart`
   * decides which priorities may be served now.
   */
  next(mayStart: (priority: number) => boolean, joins: (item: T, taken: readonly T[]) => boolean): T[];
  /** Removes and returns the items for which `isOver` returns true. */
  remove(isOver: (item: T) => boolean): T[];
};

/** Calls of one priority that may wait at a time. */
const MOST_WAITING = 10_000;
/** One turn of this many goes to the waiting priority that was served longest ago, so that none waits for ever. */
const TURNS = 8;

/** Calls that wait for a node: in most turns the lowest priority number first, and in the order of arrival within a priority. */
export function createCallQueue<T extends Queued>(): CallQueue<T> {
  const waiting: T[][] = [];
  let turn = 0;
  /** By priority, the turn in which it was last served. */
  const served: number[] = [];

  const ofPriority = (priority: number): T[] => {
    const known = waiting[priority];
    if (known !== undefined) return known;
    const created: T[] = [];
    waiting[priority] = created;
    return created;
  };

  return {
    add(item) {
      const items = ofPriority(item.priority);
      if (items.length >= MOST_WAITING) return false;
      items.push(item);
      return true;
    },
    putBack(items) {
      for (const item of items.toReversed()) ofPriority(item.priority).unshift(item);
    },
    size: () => waiting.reduce((count, items) => count + items.length, 0),
    next(mayStart, joins) {
      const filled = [...waiting.keys()].filter((priority) => ofPriority(priority).length > 0 && mayStart(priority));
      const order =
        turn % TURNS < TURNS - 1 ? filled : filled.toSorted((a, b) => (served[a] ?? -1) - (served[b] ?? -1));
      const [priority] = order;
      if (priority === undefined) return [];
      served[priority] = turn++;
      const items = ofPriority(priority);
      const taken: T[] = items.slice(0, 1);
      while (taken.length < items.length) {
        const item = items[taken.length];
        if (item === undefined || !joins(item, taken)) break;
        taken.push(item);
      }
      items.splice(0, taken.length);
      return taken;
    },
    remove(isOver) {
      const removed: T[] = [];
      for (const [priority, items] of waiting.entries()) {
        if (items === undefined || !items.some(isOver)) continue;
        removed.push(...items.filter(isOver));
        waiting[priority] = items.filter((item) => !isOver(item));
      }
      return removed;
    },
  };
}
