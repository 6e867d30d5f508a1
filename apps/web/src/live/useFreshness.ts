import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import type { AsOf } from "../ui/SourceLink";

/** The block of the answers on the page, by `blockOf`; null before the first answer. */
export function useFreshness(): AsOf | null {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache]);
  const text = useSyncExternalStore(subscribe, () => {
    const shown = cache
      .getAll()
      .filter((query) => query.isActive())
      .flatMap((query) => asOfOf(query.state.data) ?? []);
    // A text, because React compares snapshots by identity: an unchanged state has to be the same value.
    return JSON.stringify(blockOf(shown));
  });
  return JSON.parse(text);
}

/** The newest of these blocks, or where some are stale, the oldest of those; null where there is none. */
export function blockOf(shown: readonly AsOf[]): AsOf | null {
  // By number: several blocks have the same timestamp.
  const sorted = shown.toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber));
  return sorted.find(({ stale }) => stale) ?? sorted.at(-1) ?? null;
}

/** The block of an answer, where it has one. */
function asOfOf(data: unknown): AsOf | null {
  if (typeof data !== "object" || data === null || !("asOf" in data)) return null;
  // Every answer with this field has it from one schema.
  return (data.asOf as AsOf | null | undefined) ?? null;
}
