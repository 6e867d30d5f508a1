import { Nullable } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { presentSession, requirePortal, SessionView } from "./portalSession";

export const getPortalSession = defineOperation({
  name: "get_portal_session",
  http: { method: "GET", path: "/portal/session" },
  summary: "The portal session of this browser",
  description:
    "null for a browser that is not signed in. This is not an error: a page asks before it offers to sign in.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({}),
  output: Type.Object({ session: { ...Nullable(SessionView), description: "null: this browser is not signed in" } }),
  example: {},
  async handler(context) {
    const { session } = requirePortal(context);
    return { session: session === null ? null : presentSession(session) };
  },
});
