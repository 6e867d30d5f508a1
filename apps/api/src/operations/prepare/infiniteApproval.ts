import { Type } from "@sinclair/typebox";
import { inBody } from "../../operation/defineOperation";

/** Body field of both forms of preparing subscribe(). */
export const infiniteApproval = inBody(
  Type.Optional(
    Type.Boolean({
      description:
        "Approve without limit, where the allowance would not outlast the first remit. Default: the amount alone",
    }),
  ),
);
