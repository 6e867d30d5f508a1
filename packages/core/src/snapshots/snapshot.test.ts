import { expect, test } from "bun:test";
import { DuePage } from "./dueDay";
import { kindOfStored, snapshotSchemas, storedKind, storedKinds } from "./snapshot";

/**
 * The stored kinds and the form of their schemas. Where this fails, the form of a snapshot has changed: raise its version in
 * `snapshot.ts`, then enter the new line here.
 */
const RECORDED = {
  "protocol.v3": "7cc49ab3240b1374",
  "tokens.v2": "981af019322ad307",
  "due.v6": "959492d64b15d28a",
  "pages of due.v6": "053ba7e0c2af1c08",
  "readiness.v10": "dc8851ab34c1fb9f",
};

/** Descriptions do not decide what a reader understands. */
function formOf(schema: unknown): string {
  return JSON.stringify(schema, (key, value) => (key === "description" || key === "expects" ? undefined : value));
}

function hashOfForm(schema: unknown): string {
  return new Bun.CryptoHasher("sha256").update(formOf(schema)).digest("hex").slice(0, 16);
}

test("a schema does not change without its version", () => {
  const forms = Object.entries(snapshotSchemas).map(([kind, schema]) => [
    storedKind(kind as keyof typeof snapshotSchemas), // entries lose the names of the kinds
    hashOfForm(schema),
  ]);
  forms.push([`pages of ${storedKind("due")}`, hashOfForm(DuePage)]);
  expect(Object.fromEntries(forms)).toEqual(RECORDED);
});

test("a row of another version, or of none, has no kind here", () => {
  expect(storedKinds.map(kindOfStored)).toEqual(["protocol", "tokens", "due", "readiness"]);
  for (const stored of ["readiness", "readiness.v0", "readiness.v999", "constructor", ""]) {
    expect(kindOfStored(stored)).toBeNull();
  }
});
