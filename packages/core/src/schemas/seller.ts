import { type Static, Type } from "@sinclair/typebox";
import { described, Nullable, UntrustedText } from "../schema";
import { firstLine } from "../text/firstLine";

export const PlanName = described(UntrustedText, "First line of the description, else amount and period; untrusted");

/** Who sells a plan, by name. */
export const Seller = Type.Object(
  {
    name: {
      ...Nullable(UntrustedText),
      description: "Verified domain, else company of the profile, which anybody can write",
    },
    verified: Type.Boolean({ description: "name is a domain that names this provider" }),
  },
  { description: "Name of the provider" },
);
export type Seller = Static<typeof Seller>;

/** What a seller's name is made from. `verifiedDomain` is ASCII, punycode where the domain is not. */
export type NamedSeller = { company: string | null; verifiedDomain: string | null };

/** The name of a seller: its verified domain, else the first line of its profile's company, unverified. */
export function sellerOf({ company, verifiedDomain }: NamedSeller): Seller {
  if (verifiedDomain !== null) return { name: verifiedDomain, verified: true };
  const name = firstLine(company ?? "");
  return { name: name === "" ? null : name, verified: false };
}
