import { expect, test } from "bun:test";
import { createDeparture } from "./departure";

test("answers of one turn leave together, in their order, and none before the turn ends", async () => {
  const depart = createDeparture();
  const left: string[] = [];
  const sent = ["a", "b", "c"].map((text) =>
    depart(new Response(text)).then(async (response) => {
      left.push(await response.text());
    }),
  );
  await Promise.resolve();
  expect(left).toEqual([]);
  await Promise.all(sent);
  expect(left).toEqual(["a", "b", "c"]);
});

test("an answer of a later turn does not wait for another one", async () => {
  const depart = createDeparture();
  expect(await (await depart(new Response("a"))).text()).toBe("a");
  expect(await (await depart(new Response("b"))).text()).toBe("b");
});
