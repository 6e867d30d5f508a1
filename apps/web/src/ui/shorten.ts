/** Shortens a hex value: to enough characters that two addresses are seldom confused, and few enough to leave room for figures. */
export function shorten(value: string): string {
  return `${value.slice(0, 6)}…${value.slice(-4)}`;
}
