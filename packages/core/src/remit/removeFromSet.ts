/**
 * Removes the element at `index` (from 0) of a list that represents an EnumerableSet: the last element moves into its place,
 * which decides the order of later remits (protocol part 4, Sets).
 */
export function removeFromSet<T>(set: T[], index: number): void {
  const last = set.pop();
  if (last !== undefined && index < set.length) set[index] = last;
}
