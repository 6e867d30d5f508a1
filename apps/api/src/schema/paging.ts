import { Type } from "@sinclair/typebox";
import { inQuery } from "../operation";

export const FIRST_DEFAULT = 50;

/** Entries of a page. */
export const first = inQuery(
  Type.Integer({ minimum: 1, maximum: 200, default: FIRST_DEFAULT, description: "Entries of a page" }),
);

/** Entries before the page. */
export const skip = inQuery(
  Type.Integer({ minimum: 0, maximum: 5_000, default: 0, description: "Entries before the page" }),
);
