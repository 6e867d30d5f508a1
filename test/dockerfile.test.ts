import { expect, test } from "bun:test";
import { join } from "node:path";
import { validate } from "dockerfile-utils";

const faultsOf = (text: string) =>
  validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`);

test("a linter finds nothing in the Dockerfile", async () => {
  expect(faultsOf(await Bun.file(join(import.meta.dir, "../Dockerfile")).text())).toEqual([]);
});

test("the linter finds an instruction that does not exist, and a copy from a stage without a source", () => {
  expect(faultsOf("FROM debian:13.2-slim\nRUNN true\n")).toHaveLength(1);
  expect(faultsOf("FROM debian:13.2-slim\nCOPY --from=build\n")).toHaveLength(1);
});
