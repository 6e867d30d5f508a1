import { isManagementPath } from "../../identity/authenticate";

/** The ways to authenticate (interface, Authentication). */
export const securitySchemes = {
  developerKey: {
    type: "http",
    scheme: "bearer",
    description: "A developer key, for higher limits. A request without one uses the free lane.",
  },
  adminSecret: { type: "http", scheme: "bearer", description: "The admin secret, for the management of keys" },
  adminKey: { type: "apiKey", in: "header", name: "X-Service-Admin-Key", description: "The admin secret, as a header" },
};

/** The schemes that an operation accepts; `{}` is a request without credentials. */
export function securityOf(path: string): { [scheme: string]: [] }[] {
  if (isManagementPath(path)) return [{ adminSecret: [] }, { adminKey: [] }];
  return path.startsWith("/webhooks") ? [{ developerKey: [] }] : [{}, { developerKey: [] }];
}
