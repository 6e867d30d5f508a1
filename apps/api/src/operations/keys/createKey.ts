import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { Label, SubjectId } from "./developerKey";
import { IssuedKey, issueKey } from "./issueKey";

export const createKey = defineOperation({
  name: "create_developer_key",
  http: { method: "POST", path: "/developer/keys" },
  summary: "Create a developer key; its text is shown this once",
  description:
    "Needs the admin secret. subjectId identifies the owner of the key in the operator's own system; a subject has a maximum of active " +
    "keys (MAX_KEYS). The key's text is in this answer and nowhere else: only its hash is stored.",
  chainScoped: false,
  bucket: "unlimited",
  area: "service",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: ["UNAUTHORIZED", "KEYS_DISABLED", "MAX_KEYS", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ subjectId: inBody(SubjectId), label: inBody(Type.Optional(Label)) }),
  output: IssuedKey,
  example: { subjectId: "customer-17", label: "keeper in Frankfurt" },
  statuses: [201],
  handler: issueKey,
});
