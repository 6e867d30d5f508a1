import { isManagementPath } from "../../identity/authenticate";

/** The ways to say who calls, as OpenAPI has them (interface, Authentication). */
export const securitySchemes = {
  developerKey: {
    type: "http",
    scheme: "bearer",
    description: "A developer key, for higher limits. Without one a request goes by the free lane.",
  },
  adminSecret: { type: "http", scheme: "bearer", description: "The admin secret, for the management of keys" },
  adminKey: { type: "apiKey", in: "header", name: "X-Service-Admin-Key", description: "The admin secret, as a header" },
};

/** Which of them an operation takes; an empty one stands for none. */
export function securityOf(path: string): { [scheme: string]: [] }[] {
  return isManagementPath(path) ? [{ adminSecret: [] }, { adminKey: [] }] : [{}, { developerKey: [] }];
}
