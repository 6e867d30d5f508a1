/** The texts of a profile, in the order in which they are shown. */
export const profileFields = [
  ["company", "Company"],
  ["description", "Description"],
  ["url", "Website"],
  ["domain", "Domain"],
  ["email", "E-mail"],
  ["misc", "Anything else"],
] as const;

export type ProfileTexts = Record<(typeof profileFields)[number][0], string>;
