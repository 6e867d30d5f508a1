/** Tokens of the demo chain. The paused one is paused after its subscribers joined. */
export const demoTokens = {
  HUSD: { name: "Harbor Dollar", symbol: "HUSD", decimals: 6, paused: false },
  MRD: { name: "Meridian", symbol: "MRD", decimals: 18, paused: false },
  OAK: { name: "Oak Credit", symbol: "OAK", decimals: 8, paused: false },
  LGC: { name: "Legacy Dollar", symbol: "LGC", decimals: 6, paused: true },
} as const;

export const demoProviders = [
  {
    company: "Northlight Press",
    description: "Independent newsroom for the coast",
    domain: "northlight.example",
    plans: "https://northlight.example/plans",
  },
  {
    company: "Tidewater Cloud",
    description: "Small servers, honest prices",
    domain: "tidewater.example",
    plans: "https://tidewater.example/pricing",
  },
  {
    company: "Fern & Field",
    description: "Vegetable boxes from forty farms",
    domain: "fernandfield.example",
    plans: "https://fernandfield.example/boxes",
  },
  {
    company: "Cadence Fitness",
    description: "Classes online and in the studio",
    domain: "cadence.example",
    plans: "https://cadence.example/membership",
  },
] as const;

export type DemoPlan = {
  key: string;
  /** Index into `demoProviders`. */
  provider: number;
  token: keyof typeof demoTokens;
  /** Decimal, in whole tokens. */
  amount: string;
  frequency: 0 | 1 | 2 | 3;
  /** Days before today on which it is due; 0 is today, negative numbers are in the future. */
  dueDaysAgo: number;
  /** Its subscribers among the sixty of the demo: the index of the first, and how many there are from it on. */
  subscribers: [first: number, count: number];
  description: string;
};

/** The busiest day is three days ago: with ten payments per page it takes four transactions. */
export const demoPlans: readonly DemoPlan[] = [
  plan("daily-letter", 0, "HUSD", "12", 0, 3, [0, 18], "Daily letter, billed weekly"),
  plan("studio-week", 3, "MRD", "4.5", 0, 3, [18, 12], "Studio pass, one week at a time"),
  plan("reader", 0, "HUSD", "29", 1, 3, [10, 8], "Reader: all articles"),
  plan("nano", 1, "HUSD", "5", 0, 0, [0, 6], "Nano server"),
  plan("small-box", 2, "OAK", "0.45", 1, 5, [30, 8], "Small box, twice a month"),
  plan("standard", 1, "MRD", "15", 1, 1, [38, 8], "Standard server"),
  plan("season-box", 2, "HUSD", "90", 2, 4, [46, 6], "Box of the season"),
  plan("quarter-pass", 3, "OAK", "1.2", 2, 2, [20, 5], "Quarter pass"),
  plan("archive", 0, "MRD", "120", 3, 6, [52, 6], "Archive access for a year"),
  plan("rack-year", 1, "HUSD", "240", 3, 1, [0, 5], "A rack unit for a year"),
  plan("legacy-box", 2, "LGC", "20", 1, 2, [50, 5], "Box, old currency"),
  plan("evening", 3, "MRD", "7.25", 0, 5, [55, 5], "Evening classes"),
  plan("retired-tier", 1, "HUSD", "18", 1, 4, [40, 5], "Retired tier"),
  plan("spring-box", 2, "HUSD", "45", 2, -10, [5, 5], "Box of the coming weeks"),
  plan("founders", 0, "OAK", "3", 3, -30, [58, 2], "Founders' circle"),
  plan("unsold", 3, "HUSD", "60", 1, 1, [0, 0], "Personal training"),
];

/** Cancelled by its provider after its subscribers joined. */
export const cancelledPlan = "retired-tier";

/** Subscribers whose next payment fails, by reason; each has joined a plan that is due in the backlog. */
export const failingPayers = {
  /** Lowered their allowance below one payment. */
  allowance: [
    { subscriber: 27, token: "MRD" },
    { subscriber: 28, token: "MRD" },
    { subscriber: 44, token: "MRD" },
  ],
  /** Have spent their tokens elsewhere. */
  balance: [
    { subscriber: 16, token: "HUSD" },
    { subscriber: 51, token: "HUSD" },
    { subscriber: 33, token: "OAK" },
  ],
} as const;

function plan(
  key: string,
  provider: number,
  token: DemoPlan["token"],
  amount: string,
  frequency: DemoPlan["frequency"],
  dueDaysAgo: number,
  subscribers: DemoPlan["subscribers"],
  description: string,
): DemoPlan {
  return { key, provider, token, amount, frequency, dueDaysAgo, subscribers, description };
}
