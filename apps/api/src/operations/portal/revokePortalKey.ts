import { Type } from "@sinclair/typebox";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { KeyId } from "../keys/developerKey";
import { RevokedKey, revokeKeyOf } from "../keys/revokeKey";
import { requireSession } from "./portalSession";

export const revokePortalKey = defineOperation({
  name: "revoke_portal_key",
  http: { method: "DELETE", path: "/portal/keys/:id" },
  summary: "Revoke a developer key of your own",
  description:
    "Needs a portal session; a key of another account is NOT_FOUND. The revocation is final and takes effect within a second in every " +
    "process. A repeated call changes nothing and returns the time of the first.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ id: inPath(KeyId) }),
  output: RevokedKey,
  example: { id: "00000000-0000-4000-8000-000000000000" },
  async handler(context, { id }) {
    const { subjectId } = requireSession(context);
    return revokeKeyOf(context, id, subjectId);
  },
});
