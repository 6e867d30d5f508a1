/** A read-only map whose subclasses only have to find values and list keys. No value is undefined. */
export abstract class ReadMap<K, V> implements ReadonlyMap<K, V> {
  abstract readonly size: number;
  abstract get(key: K): V | undefined;
  abstract keys(): MapIterator<K>;

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[K, V]> {
    for (const key of this.keys()) {
      const value = this.get(key);
      if (value !== undefined) yield [key, value];
    }
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  forEach(run: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) run(value, key, this);
  }
}
