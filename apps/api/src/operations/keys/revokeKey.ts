import { ServiceError } from "@dueday/core/errors";
import { Instant } from "@dueday/core/schema";
import { revokeDeveloperKey } from "@dueday/db/access/revokeDeveloperKey";
import { type Static, Type } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { actorOf, KeyId, requireKeys } from "./developerKey";

export const RevokedKey = Type.Object({ id: KeyId, revokedAt: Instant });

export const revokeKey = defineOperation({
  name: "revoke_developer_key",
  http: { method: "DELETE", path: "/developer/keys/:id" },
  summary: "Revoke a developer key",
  description:
    "Needs the admin secret. The revocation is final and takes effect within a second in every process. A repeated call changes " +
    "nothing and returns the time of the first.",
  chainScoped: false,
  bucket: "unlimited",
  area: "service",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["UNAUTHORIZED", "KEYS_DISABLED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ id: inPath(KeyId) }),
  output: RevokedKey,
  example: { id: "00000000-0000-4000-8000-000000000000" },
  handler: (context, { id }) => revokeKeyOf(context, id, null),
});

/**
 * Revokes a key.
 *
 * @param owner a key of another subject counts as unknown; null for a key of any subject
 * @throws ServiceError KEYS_DISABLED, NOT_FOUND
 */
export async function revokeKeyOf(
  context: Context,
  id: string,
  owner: string | null,
): Promise<Static<typeof RevokedKey>> {
  const keys = requireKeys(context);
  const revokedAt = await revokeDeveloperKey(context.database, id, actorOf(context), owner);
  if (revokedAt === null) {
    const list = owner === null ? "GET /developer/keys lists the keys of a subject" : "GET /portal/keys lists yours";
    throw new ServiceError("NOT_FOUND", `No developer key has this id; ${list}`);
  }
  keys.forget(id);
  return { id, revokedAt: revokedAt.toISOString() };
}
