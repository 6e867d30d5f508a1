import { ReadMap } from "./readMap";

/** A map whose values are built from columns each time they are read. */
export abstract class Table<K, V> extends ReadMap<K, V> {
  private readonly places = new Map<K, number>();

  /** The value at a place that `placeFor` has returned. */
  protected abstract at(place: number): V;

  /** The place of a key; a new key gets the next place. */
  protected placeFor(key: K): number {
    const known = this.places.get(key);
    if (known !== undefined) return known;
    const place = this.places.size;
    this.places.set(key, place);
    return place;
  }

  get size(): number {
    return this.places.size;
  }

  get(key: K): V | undefined {
    const place = this.places.get(key);
    return place === undefined ? undefined : this.at(place);
  }

  keys(): MapIterator<K> {
    return this.places.keys();
  }

  /** Without a look-up for each key. */
  override *entries(): MapIterator<[K, V]> {
    for (const [key, place] of this.places) yield [key, this.at(place)];
  }
}
