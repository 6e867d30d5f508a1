import { expect, test } from "bun:test";
import { sendTogether } from "./sendTogether";

const request = (name: string) => new Request(`http://localhost/${name}`);

test("answers of one turn leave together, in order", async () => {
  const ready = Promise.withResolvers<Response>();
  const send = sendTogether(async ({ url }) => (url.endsWith("/a") ? ready.promise : new Response()));
  const left: string[] = [];
  const sent = (name: string) => send(request(name)).then(() => left.push(name));
  const turnEnds = new Promise<void>((resolve) => {
    setImmediate(() => {
      left.push("end of the turn");
      resolve();
    });
  });
  const answers = [sent("b"), sent("a"), sent("c")];
  for (let step = 0; step < 100; step += 1) await Promise.resolve();
  expect(left).toEqual([]);
  ready.resolve(new Response());
  await Promise.all([turnEnds, ...answers]);
  expect(left).toEqual(["end of the turn", "b", "c", "a"]);
});

test("what is ready after a turn leaves with the next one", async () => {
  const sent = new Map(["a", "b"].map((name) => [request(name), new Response(name)]));
  const send = sendTogether(async (each) => sent.get(each) ?? Response.error());
  for (const [each, response] of sent) expect(await send(each)).toBe(response);
});
