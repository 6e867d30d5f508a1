import { expect, test } from "bun:test";
import { expectList } from "./protocolRead";

test("a list of more than 100,000 entries is refused, not gone through", () => {
  const list = (length: number) => expectList({ ok: true, value: new Array<number>(length) }, "a list");
  expect(list(100_000)).toHaveLength(100_000);
  expect(() => list(100_001)).toThrow(
    expect.objectContaining({ code: "UPSTREAM_ERROR", message: expect.stringContaining("100001 entries") }),
  );
});
