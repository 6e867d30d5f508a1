import { pageFacts, pageFields } from "@dueday/core/paging";
import { Instant, Nullable } from "@dueday/core/schema";
import { listDeveloperKeys } from "@dueday/db/queries/listDeveloperKeys";
import { Type } from "@sinclair/typebox";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { first, skip } from "../../operation/paging";
import { actorOf, KeyId, Label, SubjectId } from "./developerKey";

export const listKeys = defineOperation({
  name: "list_developer_keys",
  http: { method: "GET", path: "/developer/keys" },
  summary: "List the developer keys of a subject",
  description: "Needs the admin secret. Newest first, revoked keys included; never the text of a key.",
  chainScoped: false,
  bucket: "unlimited",
  area: "service",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["UNAUTHORIZED", "KEYS_DISABLED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ subjectId: inQuery(SubjectId), first, skip }),
  output: Type.Object({
    keys: Type.Array(
      Type.Object({
        id: KeyId,
        subjectId: SubjectId,
        label: Nullable(Label),
        prefix: Type.String(),
        createdAt: Instant,
        lastUsedAt: Nullable(Instant),
        revokedAt: Nullable(Instant),
      }),
    ),
    ...pageFields,
  }),
  example: { subjectId: "customer-17" },
  async handler(context, page) {
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
  },
});
