import { expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { superviseServer } from "./superviseServer";

const ignore = { onRestart() {}, onFatal() {} };

async function endedServer(): Promise<ChildProcess> {
  const server = spawn("true", { stdio: "ignore" });
  await once(server, "exit");
  return server;
}

test("a restart that fails after the release is not repeated, and not reported", async () => {
  const first = await endedServer();
  const restart = Promise.withResolvers<ChildProcess>();
  const calls = { restarts: 0, fatal: 0 };
  const onFatal = () => void calls.fatal++;
  const supervised = superviseServer(first, { ...ignore, onFatal }, () => {
    calls.restarts++;
    return restart.promise;
  });
  const released = supervised.release();
  restart.reject(new Error("does not start"));
  expect(await released).toBe(first);
  expect(calls).toEqual({ restarts: 1, fatal: 0 });
});

test("three restarts that fail are reported once, with the last failure as the cause", async () => {
  const fatal = Promise.withResolvers<Error>();
  let restarts = 0;
  superviseServer(await endedServer(), { ...ignore, onFatal: fatal.resolve }, async () => {
    restarts++;
    throw new Error(`failure ${restarts}`);
  });
  expect((await fatal.promise).cause).toEqual(new Error("failure 3"));
  expect(restarts).toBe(3);
});
