/** In the order of the protocol's numbers. */
export const FREQUENCIES = ["weekly", "monthly", "quarterly", "yearly"] as const;

/** The protocol's number of a frequency. */
export function frequencyNumber(name: (typeof FREQUENCIES)[number]): 0 | 1 | 2 | 3 {
  return ({ weekly: 0, monthly: 1, quarterly: 2, yearly: 3 } as const)[name];
}
