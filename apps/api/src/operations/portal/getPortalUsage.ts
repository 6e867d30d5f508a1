import { Count, described, Instant, Nullable, PositiveCount, ShortText } from "@dueday/core/schema";
import { listDeveloperKeys } from "@dueday/db/access/listDeveloperKeys";
import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { actorOf, KeyId, KeyText, Label, SubjectId } from "../keys/developerKey";
import { requirePortal, requireSession } from "./portalSession";

const MOST_KEYS = 25;

/** The most limits that a lane has. */
const MOST_LIMITS = 6;

const LimitUsage = Type.Object({
  name: described(ShortText, "The limit's name in the catalog, e.g. globalRpm"),
  limit: described(PositiveCount, "Requests that the window may have"),
  windowSeconds: described(PositiveCount, "60: the last 60 seconds; 86400: the UTC day"),
  used: described(Count, "Requests in the window up to now"),
  remaining: described(Count, "Requests that are left"),
  resetSeconds: described(
    Count,
    "Seconds until the oldest counted request no longer counts: 60 s after it in a minute, midnight UTC in a day; 0 where nothing is counted",
  ),
});

export const getPortalUsage = defineOperation({
  name: "get_portal_usage",
  http: { method: "GET", path: "/portal/usage" },
  summary: "What your portal sessions and keys have used of their limits",
  description:
    `Needs a portal session. Sessions of an account share their limits; each key has its own. The ${MOST_KEYS} newest active keys are listed. ` +
    "A minute is the last 60 seconds, a day the UTC day. Without Redis each process counts for itself.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({}),
  output: Type.Object({
    subjectId: SubjectId,
    session: Type.Array(LimitUsage, {
      maxItems: MOST_LIMITS,
      description: "Used by the account's portal sessions together",
    }),
    keys: Type.Array(
      Type.Object({
        id: KeyId,
        prefix: KeyText,
        label: Nullable(Label),
        lastUsedAt: Nullable(Instant),
        limits: Type.Array(LimitUsage, { maxItems: MOST_LIMITS, description: "Used by this key" }),
      }),
      { maxItems: MOST_KEYS },
    ),
  }),
  example: {},
  async handler(context) {
    const { subjectId } = requireSession(context);
    const { usage } = requirePortal(context);
    const page = { subjectId, first: MOST_KEYS, skip: 0, activeOnly: true };
    const { keys } = await listDeveloperKeys(context.database, page, actorOf(context));
    const [session, ...ofKeys] = await Promise.all([
      usage({ subjectId }),
      ...keys.map(({ id: keyId }) => usage({ keyId })),
    ]);
    return {
      subjectId,
      session,
      keys: keys.map(({ id, prefix, label, lastUsedAt }, index) => ({
        id,
        prefix,
        label,
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
        limits: ofKeys[index] ?? [],
      })),
    };
  },
});
