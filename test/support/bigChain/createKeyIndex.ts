/** Finds the place of a key, which is at least 12 hexadecimal digits, in a list of a million. */
export type KeyIndex = { add(key: string, place: number): void; find(key: string): number | undefined };

const DIGITS = 12;

/**
 * An index by the last 48 bits of each key: a map of the keys would hold a million texts beside the columns. Throws where two keys share them, because
 * the second would hide the first.
 */
export function createKeyIndex(): KeyIndex {
  const places = new Map<number, number>();
  const shortened = (key: string) => Number.parseInt(key.slice(-DIGITS), 16);
  return {
    add(key, place) {
      const short = shortened(key);
      if (places.has(short)) throw new Error(`two keys end in ${key.slice(-DIGITS)}`);
      places.set(short, place);
    },
    find: (key) => places.get(shortened(key)),
  };
}
