import { pagedListOf, pageFacts, pageFields } from "@dueday/core/paging";
import { Instant, Nullable } from "@dueday/core/schema";
import { type DeveloperKeyPage, listDeveloperKeys } from "@dueday/db/access/listDeveloperKeys";
import { type Static, Type } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { actorOf, KeyId, KeyText, Label, SubjectId } from "./developerKey";

export const KeyPage = Type.Object({
  keys: pagedListOf(
    Type.Object({
      id: KeyId,
      subjectId: SubjectId,
      label: Nullable(Label),
      prefix: KeyText,
      createdAt: Instant,
      lastUsedAt: Nullable(Instant),
      revokedAt: Nullable(Instant),
    }),
  ),
  ...pageFields,
});

/** One page of a subject's keys, newest first. */
export async function listKeysOf(context: Context, page: DeveloperKeyPage): Promise<Static<typeof KeyPage>> {
  const { keys, total } = await listDeveloperKeys(context.database, page, actorOf(context));
  return {
    keys: keys.map(({ createdAt, lastUsedAt, revokedAt, ...key }) => ({
      ...key,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
      revokedAt: revokedAt?.toISOString() ?? null,
    })),
    ...pageFacts({ count: total, skip: page.skip, shown: keys.length }),
  };
}
