import { expect, test } from "bun:test";
import { endOfTurn } from "./endOfTurn";

test("those who wait in one turn go on step by step together, after what the turn does otherwise", async () => {
  const steps: string[] = [];
  const go = async (name: string) => {
    await endOfTurn();
    steps.push(`${name} first`);
    await Promise.resolve();
    steps.push(`${name} second`);
  };
  const gone = [go("a"), go("b")];
  await Promise.resolve();
  steps.push("turn");
  await Promise.all(gone);
  expect(steps).toEqual(["turn", "a first", "b first", "a second", "b second"]);
});

test("who comes in the next turn waits for its end, and is not forgotten", async () => {
  await endOfTurn();
  const next = endOfTurn();
  expect(await Promise.race([next.then(() => "end"), Promise.resolve("still waiting")])).toBe("still waiting");
  await next;
});
