import { Type } from "@sinclair/typebox";

/** Text of whoever manages keys: it is stored and shown, so no control characters (PostgreSQL takes no NUL). */
const ONE_LINE = "^[^\\u0000-\\u001f\\u007f]*$";

export const KeyId = Type.String({
  pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
  description: "UUID of a key, lower case",
});

export const SubjectId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
  description: "Whose key it is, in the words of whoever keeps the accounts; choose one that names no person",
});

export const Label = Type.String({ maxLength: 200, pattern: ONE_LINE, description: "What the key is for" });
