import { expect, test } from "bun:test";
import { createOriginMap } from "./originMap";

test("a client is found by its peer and what that said of it, and by nothing else", () => {
  const map = createOriginMap<number>(10);
  const origins = [
    { peer: "10.0.0.1", forwardedFor: null },
    { peer: "10.0.0.1", forwardedFor: "" },
    { peer: "10.0.0.1", forwardedFor: "203.0.113.9" },
    { peer: "10.0.0.2", forwardedFor: "203.0.113.9" },
    { peer: null, forwardedFor: null },
  ];
  for (const [index, origin] of origins.entries()) {
    expect(map.get(origin)).toBeUndefined();
    map.add(origin, index);
  }
  expect(origins.map((origin) => map.get({ ...origin }))).toEqual([0, 1, 2, 3, 4]);
});

test("neither many clients nor long ones fill it", () => {
  const map = createOriginMap<true>(2);
  map.add({ peer: "10.0.0.1", forwardedFor: "x".repeat(257) }, true);
  for (const peer of ["10.0.0.1", "10.0.0.2", "10.0.0.3"]) map.add({ peer, forwardedFor: null }, true);
  const held = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((peer) => map.get({ peer, forwardedFor: null }));
  expect(held).toEqual([true, true, undefined]);
  expect(map.get({ peer: "10.0.0.1", forwardedFor: "x".repeat(257) })).toBeUndefined();
});
