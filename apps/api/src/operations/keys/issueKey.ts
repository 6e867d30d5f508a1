import { ServiceError } from "@dueday/core/errors";
import { described, Instant, Nullable, Sentence } from "@dueday/core/schema";
import { createDeveloperKey } from "@dueday/db/access/createDeveloperKey";
import { type Static, Type } from "@sinclair/typebox";
import { createKeyText } from "../../identity/keyText";
import type { Context } from "../../operation/context";
import { actorOf, KeyId, KeyText, Label, requireKeys, SubjectId } from "./developerKey";

export const IssuedKey = Type.Object({
  id: KeyId,
  key: described(KeyText, "The key's text: store it now, it is never shown again"),
  prefix: described(KeyText, "The key's first characters, to recognize it"),
  subjectId: SubjectId,
  label: Nullable(Label),
  createdAt: Instant,
  warning: Sentence,
});

/**
 * Creates a key for a subject: by the admin, or by the subject itself in the developer portal.
 *
 * @throws ServiceError KEYS_DISABLED, RATE_LIMITED, MAX_KEYS
 */
export async function issueKey(
  context: Context,
  { subjectId, label = null }: { subjectId: string; label?: string | null },
): Promise<Static<typeof IssuedKey>> {
  const { maxKeysPerSubject } = context.service.config;
  requireKeys(context);
  const returnRoute = await context.counters.keyCreation(subjectId, context.portal !== undefined);
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
}

function tooManyKeys(maximum: number): ServiceError {
  return new ServiceError("MAX_KEYS", `This subject has ${maximum} active keys, the maximum; revoke one first`);
}
