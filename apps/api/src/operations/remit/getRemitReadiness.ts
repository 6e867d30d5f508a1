import { Type } from "@sinclair/typebox";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { readinessFrom, remitReadiness } from "./remitReadiness";

export const getRemitReadiness = defineOperation({
  ...remitReadiness,
  name: "get_remit_readiness",
  http: { method: "GET", path: "/remit/readiness" },
  summary: "Whether remit() has work, and the plan: cacheable, for keepers that poll with If-None-Match",
  bucket: "cheap",
  input: Type.Object({ from: inQuery(readinessFrom) }),
  example: {},
});
