import { ServiceError } from "@dueday/core/errors";
import { Instant, Nullable } from "@dueday/core/schema";
import { createDeveloperKey } from "@dueday/db/queries/createDeveloperKey";
import { Type } from "@sinclair/typebox";
import { createKeyText } from "../../identity/keyText";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { actorOf, KeyId, Label, requireKeys, SubjectId } from "./developerKey";

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
  output: Type.Object({
    id: KeyId,
    key: Type.String({ description: "The key's text: store it now, it is never shown again" }),
    prefix: Type.String({ description: "The key's first characters, to recognize it" }),
    subjectId: SubjectId,
    label: Nullable(Label),
    createdAt: Instant,
    warning: Type.String(),
  }),
  example: { subjectId: "customer-17", label: "keeper in Frankfurt" },
  statuses: [201],
  async handler(context, { subjectId, label = null }) {
    const { maxKeysPerSubject } = context.service.config;
    const returnRoute = await requireKeys(context).countCreation(context, subjectId);
    const { text, prefix, hash } = createKeyText();
    const actor = actorOf(context);
    const key = { id: crypto.randomUUID(), subjectId, label, prefix };
    const stored = await createDeveloperKey(context.database, { ...key, hash }, maxKeysPerSubject, actor);
    if (!stored) {
      await returnRoute();
      throw tooManyKeys(maxKeysPerSubject);
    }
    return {
      ...key,
      key: text,
      createdAt: actor.at.toISOString(),
      warning: "The key is shown only this once. Keep it secret, and revoke it if anybody else learns it.",
    };
  },
});

function tooManyKeys(maximum: number): ServiceError {
  return new ServiceError("MAX_KEYS", `This subject has ${maximum} active keys, the maximum; revoke one first`);
}
