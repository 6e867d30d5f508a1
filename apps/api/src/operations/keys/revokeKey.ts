import { ServiceError } from "@dueday/core/errors";
import { Instant } from "@dueday/core/schema";
import { revokeDeveloperKey } from "@dueday/db/queries/revokeDeveloperKey";
import { Type } from "@sinclair/typebox";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { actorOf, KeyId, requireKeys } from "./developerKey";

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
  output: Type.Object({ id: KeyId, revokedAt: Instant }),
  example: { id: "00000000-0000-4000-8000-000000000000" },
  async handler(context, { id }) {
    const keys = requireKeys(context);
    const revokedAt = await revokeDeveloperKey(context.database, id, actorOf(context));
    if (revokedAt === null)
      throw new ServiceError(
        "NOT_FOUND",
        "There is no key with this id; GET /developer/keys lists the keys of a subject",
      );
    keys.forget(id);
    return { id, revokedAt: revokedAt.toISOString() };
  },
});
