import { expect, test } from "bun:test";
import { buildRequest } from "./buildRequest";
import { operationRoutes } from "./operationRoutes";

test.each([".", ".."])("an input %p of the path stays in its place, and leads to no other route", (address) => {
  const { url } = buildRequest("https://api.example", operationRoutes.getAccountHealth, { address });
  expect(new URL(url).pathname).toMatch(/^\/accounts\/(%252E){1,2}\/health$/);
});
