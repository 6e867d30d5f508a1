import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { Label } from "../keys/developerKey";
import { IssuedKey, issueKey } from "../keys/issueKey";
import { requireSession } from "./portalSession";

export const createPortalKey = defineOperation({
  name: "create_portal_key",
  http: { method: "POST", path: "/portal/keys" },
  summary: "Create a developer key of your own; its text is shown this once",
  description:
    "Needs a portal session, to whose account the key belongs. An account has a maximum of active keys (MAX_KEYS). The key's text is in " +
    "this answer and nowhere else: only its hash is stored.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "MAX_KEYS", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ label: inBody(Type.Optional(Label)) }),
  output: IssuedKey,
  example: { label: "keeper in Frankfurt" },
  statuses: [201],
  async handler(context, input) {
    const { subjectId } = requireSession(context);
    return issueKey(context, { subjectId, ...input });
  },
});
