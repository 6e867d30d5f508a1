import { isManagementPath } from "../../identity/authenticate";
import type { Operation } from "../../operation/defineOperation";

/** The ways to authenticate (interface, Authentication). */
export const securitySchemes = {
  developerKey: {
    type: "http",
    scheme: "bearer",
    description: "A developer key, for higher limits. A request without one uses the free lane.",
  },
  adminSecret: { type: "http", scheme: "bearer", description: "The admin secret, for the management of keys" },
  portalSession: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-dueday_session",
    description:
      "The cookie of a browser that is signed in to the developer portal. Where the portal is used over http, which is possible on the " +
      "service's own machine only, the cookie is named dueday_session. Requests that change something need the portal's Origin.",
  },
  adminKey: { type: "apiKey", in: "header", name: "X-Service-Admin-Key", description: "The admin secret, as a header" },
};

/** The schemes that an operation accepts; `{}` is a request without credentials. */
export function securityOf({
  http,
  area,
  errors,
}: Pick<Operation, "http" | "area" | "errors">): { [scheme: string]: [] }[] {
  if (isManagementPath(http.path)) return [{ adminSecret: [] }, { adminKey: [] }];
  if (errors.includes("LANE_REQUIRED") || errors.includes("UNAUTHORIZED"))
    return [{ developerKey: [] }, { portalSession: [] }];
  if (area !== "portal") return [{}, { developerKey: [] }];
  return errors.includes("SESSION_REQUIRED") ? [{ portalSession: [] }] : [{}];
}
