import { expect, test } from "bun:test";
import { createDeparture } from "./departure";

test("answers of one turn leave together at its end, in their order, whenever in the turn they were ready", async () => {
  const depart = createDeparture();
  const left: string[] = [];
  const send = (text: string) => depart(new Response()).then(() => left.push(text));
  const turnEnds = new Promise((resolve) => setImmediate(() => resolve(left.push("end of the turn"))));
  const first = send("a");
  for (let ready = 0; ready < 100; ready += 1) await Promise.resolve();
  await Promise.all([turnEnds, first, send("b")]);
  expect(left).toEqual(["end of the turn", "a", "b"]);
});

test("what is ready after a turn leaves with the next one", async () => {
  const depart = createDeparture();
  const sent = [new Response("a"), new Response("b")];
  expect([await depart(sent[0] ?? Response.error()), await depart(sent[1] ?? Response.error())]).toEqual(sent);
});
