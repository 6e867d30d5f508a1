import type { Indexed, IndexQuery } from "../history/indexReader";
import type { Context } from "./context";
import { untilMinBlock } from "./minBlock";

/**
 * Runs a query on the event index of the request's chain, again until the index has reached the request's `minBlock`.
 *
 * @throws ServiceError as `IndexReader`; NOT_INDEXED where the index does not reach `minBlock`
 */
export function readIndexed<T>(context: Context, query: IndexQuery<T>): Promise<Indexed<T>> {
  return untilMinBlock(
    context,
    () => context.chain.readIndexed(query),
    ({ block }, minBlock) => BigInt(block.number) >= minBlock,
  );
}
