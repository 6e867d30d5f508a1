import { Type } from "@sinclair/typebox";
import { inBody, inQuery } from "./defineOperation";
import { withDefault } from "./paging";

/**
 * How much of a long answer a client wants. Its default is `full`; over MCP it is `summary`, because an agent reads every byte.
 */
const Detail = withDefault(
  Type.Union([Type.Literal("summary"), Type.Literal("full")], {
    description: "summary: only what decisions and signatures need; full: everything",
  }),
  "full",
);

/** Input of a GET operation that declares `summarized`. */
export const detailInQuery = { detail: inQuery(Detail) };
/** Input of a POST operation that declares `summarized`. */
export const detailInBody = { detail: inBody(Detail) };
