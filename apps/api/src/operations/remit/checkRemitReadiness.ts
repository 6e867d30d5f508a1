import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { readinessFrom, remitReadiness } from "./remitReadiness";

export const checkRemitReadiness = defineOperation({
  ...remitReadiness,
  name: "check_remit_readiness",
  http: { method: "POST", path: "/check_remit_readiness" },
  summary: "Multi-day scan before remit: whether it has work, and the plan",
  bucket: "write",
  input: Type.Object({ from: inBody(readinessFrom) }),
  example: {},
});
