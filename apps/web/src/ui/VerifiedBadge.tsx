import { Badge } from "./Badge";

/** Whether a domain confirms a seller's name. Anybody can write a name. */
export function VerifiedBadge({ isVerified }: { isVerified: boolean }) {
  return <Badge tone={isVerified ? "good" : "neutral"}>{isVerified ? "verified" : "unverified"}</Badge>;
}
