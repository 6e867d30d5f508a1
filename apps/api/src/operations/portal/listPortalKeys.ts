import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { first, skip } from "../../operation/paging";
import { KeyPage, listKeysOf } from "../keys/keyPage";
import { requireSession } from "./portalSession";

export const listPortalKeys = defineOperation({
  name: "list_portal_keys",
  http: { method: "GET", path: "/portal/keys" },
  summary: "List your developer keys",
  description: "Needs a portal session. Newest first, revoked keys included; never the text of a key.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ first, skip }),
  output: KeyPage,
  example: { first: 20 },
  async handler(context, page) {
    const { subjectId } = requireSession(context);
    return listKeysOf(context, { subjectId, ...page });
  },
});
