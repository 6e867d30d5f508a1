import { hasBody, type Operation, placeOf } from "@dueday/api/operation/defineOperation";
import type { OperationRoute } from "../src/http/buildRequest";

/** The service's name of an operation in camelCase. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The beginning of the names of an operation's types: `get_subscription` has `GetSubscriptionInput`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The routes that the client's table must have, from the service's list of operations. */
export function routesOfOperations(operations: readonly Operation[]): Record<string, OperationRoute> {
  return Object.fromEntries(operations.map((operation) => [camelCase(operation.name), routeOf(operation)]));
}

/** The operations whose list the service also writes as CSV. */
export function csvOperationsOf(operations: readonly Operation[]): string[] {
  return operations.filter(({ csvRows }) => csvRows !== undefined).map(({ name }) => camelCase(name));
}

function routeOf({ http: { method, path }, chainScoped, annotations, input }: Operation): OperationRoute {
  const query = Object.entries(input.properties).flatMap(([key, schema]) => (placeOf(schema) === "query" ? [key] : []));
  const carriesBody = hasBody(method);
  const isRepeatable = annotations.readOnlyHint || annotations.idempotentHint === true;
  return {
    method,
    path,
    ...(carriesBody && query.length > 0 && { query }),
    ...(chainScoped && { chainScoped }),
    ...(!isRepeatable && { changes: true }),
  };
}
