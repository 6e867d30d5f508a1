import { expect, test } from "bun:test";
import { operations } from "@dueday/api/operations/operations";
import { csvOperationsOf, routesOfOperations } from "../../tools/routesOfOperations";
import { csvOperations, operationRoutes } from "./operationRoutes";

test("the client has every operation of the service's list, with its method, path and places of inputs (`bun run sdk:routes` writes them)", () => {
  expect(operationRoutes).toEqual(routesOfOperations(operations) as typeof operationRoutes);
  expect<readonly string[]>(csvOperations).toEqual(csvOperationsOf(operations));
});
