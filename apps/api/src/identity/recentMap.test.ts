import { expect, test } from "bun:test";
import { createRecentMap } from "./recentMap";

test("an entry lives for its time after its last use, and is forgotten within twice that", () => {
  const map = createRecentMap<number>({ keptMs: 100, maxEntries: 1_000 });
  map.tick(0);
  map.set("used", 1);
  map.set("unused", 2);
  for (let now = 10; now <= 500; now += 10) {
    map.tick(now);
    expect(map.get("used")).toBe(1);
    if (now < 100) expect(map.size).toBe(2);
    if (now >= 200) expect(map.size).toBe(1);
  }
});

test("it never holds more than its maximum, and what is used most lately stays", () => {
  const map = createRecentMap<number>({ keptMs: 1_000, maxEntries: 10 });
  map.set("regular", 0);
  for (let index = 0; index < 100; index += 1) {
    map.tick(0);
    map.set(`passing ${index}`, index);
    expect(map.get("regular")).toBe(0);
    expect(map.size).toBeLessThanOrEqual(10);
  }
});

test("a clock that steps back forgets nothing", () => {
  const map = createRecentMap<number>({ keptMs: 100, maxEntries: 10 });
  map.tick(1_000);
  map.set("kept", 1);
  for (const now of [900, 950, 1_050]) {
    map.tick(now);
    expect(map.size).toBe(1);
  }
});
