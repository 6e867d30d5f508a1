import { DESCRIPTION_LIMIT_BYTES, URL_LIMIT_BYTES } from "@dueday/core/text/checkDetails";
import { Type } from "@sinclair/typebox";
import { inBody } from "../../operation/defineOperation";

/** What a subscription says of itself. Lengths are in bytes of UTF-8, so `checkDetails` judges them once more. */
export const detailsInBody = {
  details: inBody(
    Type.Object({
      url: Type.String({
        maxLength: URL_LIMIT_BYTES,
        description: `May be empty; at most ${URL_LIMIT_BYTES} bytes, no control characters, not javascript:, data: or vbscript:`,
      }),
      description: Type.String({
        maxLength: DESCRIPTION_LIMIT_BYTES,
        description: `May be empty; at most ${DESCRIPTION_LIMIT_BYTES} bytes`,
      }),
    }),
  ),
};
