import { Count, described } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { withDefault } from "../../operation/paging";
import { requirePortal } from "./portalSession";

export const endPortalSession = defineOperation({
  name: "end_portal_session",
  http: { method: "DELETE", path: "/portal/session" },
  summary: "Sign out of the developer portal",
  description:
    "Ends the session of this browser, or with everywhere=true all sessions of its account, and removes the cookie. It takes effect within " +
    "a second in every process. Keys and webhooks stay as they are.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({
    everywhere: inQuery(withDefault(Type.Boolean({ description: "End all sessions of the account" }), false)),
  }),
  output: Type.Object({ ended: described(Count, "Sessions that were ended") }),
  example: { everywhere: false },
  handler: async (context, { everywhere }) => ({ ended: await requirePortal(context).end(everywhere) }),
});
