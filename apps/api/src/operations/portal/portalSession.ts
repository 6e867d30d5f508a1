import { ServiceError } from "@dueday/core/errors";
import { Address, Instant } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { PortalSession } from "@dueday/db/access/startPortalSession";
import { type Static, Type } from "@sinclair/typebox";
import { getAddress, type Hex } from "viem";
import type { Context, PortalAccess } from "../../operation/context";
import { SubjectId } from "../keys/developerKey";

const SUBJECT_PREFIX = "eip155:";

/** Owner of what an address creates in the portal. */
export function subjectOf(address: string): string {
  return `${SUBJECT_PREFIX}${getAddress(address)}`;
}

export const SessionView = Type.Object({
  address: Address,
  subjectId: SubjectId,
  createdAt: Instant,
  expiresAt: Instant,
});

export function presentSession({ subjectId, createdAt, expiresAt }: PortalSession): Static<typeof SessionView> {
  return {
    address: addressOf(subjectId),
    subjectId,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}

function addressOf(subjectId: string): Hex {
  return getAddress(subjectId.slice(SUBJECT_PREFIX.length));
}

/** The account that is signed in, in lower case. @throws ServiceError SESSION_REQUIRED */
export function accountOfSession(context: Context): Hex {
  return toLowerCase(addressOf(requireSession(context).subjectId));
}

/** Access to the portal, which the REST surface gives to all operations of the area `portal`. */
export function requirePortal({ portal }: Context): PortalAccess {
  if (portal === undefined) throw new Error("an operation of the portal was called without it");
  return portal;
}

/** @throws ServiceError SESSION_REQUIRED for a browser that is not signed in */
export function requireSession(context: Context): PortalSession {
  const { session } = requirePortal(context);
  if (session !== null) return session;
  throw new ServiceError(
    "SESSION_REQUIRED",
    "Sign in to the developer portal first: sign the message of POST /portal/challenge, then POST /portal/session",
  );
}
