import { expect, test } from "bun:test";
import { ServiceError } from "@dueday/core/errors";
import { acceptedType } from "./acceptedType";

const JSON_TYPE = "application/json";
const request = (accept?: string) =>
  new Request("http://localhost/", accept === undefined ? {} : { headers: { accept } });

test.each([
  [undefined, JSON_TYPE],
  ["*/*", JSON_TYPE],
  ["application/*", JSON_TYPE],
  ["text/csv", "text/csv"],
  ["text/csv; charset=utf-8", "text/csv"],
  ["text/csv, application/json", "text/csv"],
  ["application/json, text/csv", JSON_TYPE],
  ["text/csv;q=0.5, application/json", JSON_TYPE],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
  ["image/png, */*;q=0.1", JSON_TYPE],
  ["text/csv;q=0.995, */*", JSON_TYPE],
] as const)("Accept %p is answered with %p", (accept, type) => {
  expect(acceptedType(request(accept), [JSON_TYPE, "text/csv", "text/html"])).toBe(type);
});

test.each(["text/csv", "image/png", "application/json;q=0"])(
  "Accept %p of an answer that has only JSON is 406, with the types that it has",
  (accept) => {
    const refusal = () => acceptedType(request(accept), [JSON_TYPE]);
    expect(refusal).toThrow(ServiceError);
    try {
      refusal();
    } catch (error) {
      expect(error).toMatchObject({ code: "NOT_ACCEPTABLE", status: 406, body: { details: { types: [JSON_TYPE] } } });
    }
  },
);
