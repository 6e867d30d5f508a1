import { expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { operations } from "./operations";

/** Every object in a schema, with the path that leads to it. */
function objectsIn(schema: TSchema, path: string): { path: string; properties: Record<string, TSchema> }[] {
  const properties: Record<string, TSchema> = schema.properties ?? {};
  const parts = [
    ...(schema.anyOf ?? []).map((form: TSchema) => objectsIn(form, path)),
    ...(schema.items === undefined ? [] : [objectsIn(schema.items, `${path}[]`)]),
    ...Object.entries(properties).map(([name, each]) => objectsIn(each, `${path}.${name}`)),
  ];
  return [...(schema.properties === undefined ? [] : [{ path, properties }]), ...parts.flat()];
}

const objects = operations.flatMap(({ name, output }) => objectsIn(output, name));

test("an amount of tokens in an answer has its token units and decimals beside it", () => {
  const amounts = objects.flatMap(({ path, properties }) => {
    const names = Object.keys(properties).filter((name) => name === "amount" || `${name}Raw` in properties);
    return names.map((name) => ({ path, name, properties }));
  });
  expect(amounts.length).toBeGreaterThan(100);
  // A token itself names its decimals in its own way.
  const incomplete = amounts.filter(
    ({ name, properties }) =>
      !(("tokenDecimals" in properties || "decimals" in properties) && `${name}Raw` in properties),
  );
  expect(incomplete.map(({ path, name }) => `${path}.${name}`)).toEqual([]);
});

test("every read of a chain names the chain and the block that its answer is true for", () => {
  const reads = operations.filter(({ chainScoped, annotations }) => chainScoped && annotations.readOnlyHint);
  const fields = reads.flatMap(({ name, output }) => {
    const forms: TSchema[] = output.anyOf ?? [output];
    return forms.map(({ properties }) => [name, "chainId" in properties, "asOf" in properties]);
  });
  expect(fields.length).toBeGreaterThan(40);
  expect(fields.filter(([, hasChain, hasBlock]) => !hasChain || !hasBlock)).toEqual([]);
});
