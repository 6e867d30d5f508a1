import { ReadMap } from "./readMap";

/**
 * A map with changes on top of a map that is not modified, because copying a million entries takes a second. Null marks a
 * removed entry. The changes of a ChangedMap and those on top of it are merged, so that a look-up has at most two steps.
 */
export class ChangedMap<K, V> extends ReadMap<K, V> {
  readonly size: number;
  /** Entries that differ from those of the map below. */
  readonly changes: ReadonlyMap<K, V | null>;
  private readonly base: ReadonlyMap<K, V>;

  constructor(before: ReadonlyMap<K, V>, changes: ReadonlyMap<K, V | null>) {
    super();
    const isChanged = before instanceof ChangedMap;
    this.base = isChanged ? before.base : before;
    this.changes = isChanged ? new Map([...before.changes, ...changes]) : changes;
    let { size } = this.base;
    for (const [key, value] of this.changes) size += (value === null ? 0 : 1) - (this.base.has(key) ? 1 : 0);
    this.size = size;
  }

  get(key: K): V | undefined {
    const change = this.changes.get(key);
    return change === undefined ? this.base.get(key) : (change ?? undefined);
  }

  *keys(): MapIterator<K> {
    for (const key of this.base.keys()) if (!this.changes.has(key)) yield key;
    for (const [key, value] of this.changes) if (value !== null) yield key;
  }

  override *entries(): MapIterator<[K, V]> {
    for (const entry of this.base) if (!this.changes.has(entry[0])) yield entry;
    for (const [key, value] of this.changes) if (value !== null) yield [key, value];
  }
}
