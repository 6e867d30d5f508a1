/** Enough of an address that two are seldom taken for one another, and few enough that figures beside it fit. */
export function shorten(value: string): string {
  return `${value.slice(0, 6)}…${value.slice(-4)}`;
}
