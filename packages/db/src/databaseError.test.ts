import { expect, test } from "bun:test";
import { toDatabaseError } from "./databaseError";

test.each(["ECONNREFUSED", "EPIPE", "EAI_AGAIN", "CONNECTION_CLOSED", "CONNECT_TIMEOUT"])(
  "a connection that fails with %s is UNREACHABLE and retryable, and a SQLSTATE is reported as it is",
  (code) => {
    const lost = Object.assign(new Error("write to db.example failed"), { code });
    const error = toDatabaseError("ask", new Error("Failed query", { cause: lost }));
    expect(error).toMatchObject({ name: "DatabaseError", code: "UNREACHABLE", retryable: true });
    const refused = Object.assign(new Error("no such table"), { code: "42P01" });
    expect(toDatabaseError("ask", refused)).toMatchObject({ code: "42P01", retryable: false });
  },
);
