import type { AdminActor } from "@dueday/db/queries/auditAdmin";
import type { RequestContext } from "../../operation/context";

/** Who does an admin action, for the audit. */
export function actorOf({ service, requestId, client }: RequestContext): AdminActor {
  return { at: new Date(service.clock()), requestId, client };
}
