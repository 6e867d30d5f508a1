import { Type } from "@sinclair/typebox";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { first, skip } from "../../operation/paging";
import { SubjectId } from "./developerKey";
import { KeyPage, listKeysOf } from "./keyPage";

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
  output: KeyPage,
  example: { subjectId: "customer-17" },
  handler: listKeysOf,
});
