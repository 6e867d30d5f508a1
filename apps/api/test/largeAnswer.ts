import { defineOperation, inQuery } from "@dueday/api/operation/defineOperation";
import { Type } from "@sinclair/typebox";

/** An operation whose answer, in each of its forms, has the size that its caller selects. */
export const largeAnswer = defineOperation({
  name: "large_answer",
  http: { method: "GET", path: "/large" },
  summary: "An answer of a given size",
  description: "An answer of a given size",
  chainScoped: false,
  bucket: "cheap",
  area: "service",
  annotations: { readOnlyHint: true },
  errors: [],
  input: Type.Object({ kilobytes: inQuery(Type.Integer()) }),
  output: Type.Object({ text: Type.String() }),
  example: { kilobytes: 1 },
  page: ({ text }) => text,
  calendar: ({ text }) => text,
  handler: async (_, { kilobytes }) => ({ text: "x".repeat(kilobytes * 1024) }),
});
