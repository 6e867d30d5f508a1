import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import type { AsOf } from "../ui/SourceLink";

/** The newest block of all answers on the page, with `stale` true where some answer is old; null before the first answer. */
export function useFreshness(): AsOf | null {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache]);
  const text = useSyncExternalStore(subscribe, () => {
    const shown = cache
      .getAll()
      .filter((query) => query.isActive())
      .flatMap((query) => asOfOf(query.state.data) ?? []);
    const newest = shown.toSorted((a, b) => a.blockTimestamp - b.blockTimestamp).at(-1);
    // A text, because React compares snapshots by identity: an unchanged state has to be the same value.
    return newest === undefined ? null : JSON.stringify({ ...newest, stale: shown.some(({ stale }) => stale) });
  });
  return text === null ? null : JSON.parse(text);
}

/** The block of an answer, where it has one. */
function asOfOf(data: unknown): AsOf | null {
  if (typeof data !== "object" || data === null || !("asOf" in data)) return null;
  // Every answer with this field has it from one schema.
  return (data.asOf as AsOf | null | undefined) ?? null;
}
