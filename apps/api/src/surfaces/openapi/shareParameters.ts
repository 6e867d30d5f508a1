import type { Json } from "./plain";

type Described = { [key: string]: Json };
type Paths = { [path: string]: { [method: string]: Described } };

/**
 * Moves to components, under its name, each parameter that several operations have. Where parameters of the same name differ, only the one
 * that most operations have is moved.
 */
export function shareParameters(paths: Paths): { paths: Paths; parameters: { [name: string]: Json } } {
  const all = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(parametersOf));
  const uses = Map.groupBy(all, (parameter) => JSON.stringify(parameter));
  const shared = new Map<string, Json[]>();
  for (const same of uses.values()) {
    const name = nameOf(same[0]);
    if (same.length > Math.max(1, shared.get(name)?.length ?? 0)) shared.set(name, same);
  }
  const texts = new Map([...shared].map(([name, [parameter]]) => [JSON.stringify(parameter), name]));
  const refer = (parameter: Json): Json => {
    const name = texts.get(JSON.stringify(parameter));
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
  };
  return {
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (operation) => ({ ...operation, parameters: parametersOf(operation).map(refer) })),
    ),
    parameters: Object.fromEntries([...shared].map(([name, [parameter]]) => [name, parameter])),
  };
}

function parametersOf({ parameters }: Described): Json[] {
  return Array.isArray(parameters) ? parameters : [];
}

function nameOf(parameter: Json | undefined): string {
  return String(Object(parameter).name);
}

function mapValues<T, R>(record: { [key: string]: T }, change: (value: T) => R): { [key: string]: R } {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
