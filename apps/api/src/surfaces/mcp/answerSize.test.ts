import { afterAll, expect, test } from "bun:test";
import { postMcp } from "@dueday/api/test/connectMcp";
import { largeAnswer } from "@dueday/api/test/largeAnswer";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { mcpRequest } from "../../limits/policy";

const api = await startTestApi({
  database: await createTestDatabase(),
  rpcUrl: "http://127.0.0.1:1",
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  operations: [largeAnswer],
});
afterAll(() => api.stop());

/** A call whose answer has this size twice: as text, and as structured content. */
function call(kilobytes: number, id = 1) {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "large_answer", arguments: { kilobytes } } };
}

test("one request gets at most 2 MB: an answer that does not fit is replaced by an error with the limit", async () => {
  const response = await postMcp(api, call(1100));
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    id: 1,
    error: { code: -32000, message: expect.stringContaining(`at most ${mcpRequest.maxAnswerBytes} bytes`) },
  });
});

test("of a batch the answers that fit are sent, and each of the others is an error under its id", async () => {
  const response = await postMcp(api, [...Array.from({ length: 10 }, (_, id) => call(400, id)), call(1, 10)]);
  const text = await response.text();
  expect(Buffer.byteLength(text)).toBeLessThan(mcpRequest.maxAnswerBytes + 20 * 1024);
  const answers: { id: number; error?: { code: number } }[] = JSON.parse(text);
  expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 11 }, (_, id) => id));
  expect(answers.filter(({ error }) => error === undefined)).toHaveLength(3);
  expect(answers.find(({ id }) => id === 10)?.error).toBeUndefined();
});
