import { ServiceError } from "@dueday/core/errors";
import type { Context } from "./context";

/** The subject of the caller's developer key or portal session. @throws ServiceError LANE_REQUIRED on the free lane */
export function requireSubject({ subject, service }: Pick<Context, "subject" | "service">, what = "This"): string {
  if (subject !== null) return subject;
  const issuer = service.config.developerPortalUrl ?? "the operator of this service";
  const message = `${what} needs a developer key or a portal session: get a key from ${issuer} and send it as Authorization: Bearer <API_KEY>`;
  throw new ServiceError("LANE_REQUIRED", message);
}
