import { describe, expect, test } from "bun:test";
import { Address, IntegerString, Nullable } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { inBody } from "../../operation/defineOperation";
import { compactInput, compactOutput } from "./compactSchema";

const Literals = (...names: string[]) => Type.Union(names.map((name) => Type.Literal(name)));

describe("arguments", () => {
  test("keep what they mean and may be, need not be given where they have a default, and refuse what has no name", () => {
    const input = Type.Object({
      from: inBody({ ...Address, description: "The wallet" }),
      first: inBody(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: "Entries" })),
    });
    expect(compactInput(input, { chainId: { type: "integer" } })).toEqual({
      type: "object",
      properties: {
        from: { type: "string", description: "The wallet" },
        first: { type: "integer", description: "Entries", default: 50, minimum: 1, maximum: 200 },
        chainId: { type: "integer" },
      },
      required: ["from"],
      additionalProperties: false,
    });
  });
});

describe("an answer", () => {
  test("keeps the name and the type or the values of every property", () => {
    const output = Type.Object({
      amount: IntegerString,
      status: Literals("open", "closed"),
      date: Nullable(Type.String()),
      note: Type.Optional(Type.String()),
    });
    expect(compactOutput(output)).toEqual({
      type: "object",
      properties: {
        amount: { type: "string" },
        status: { enum: ["open", "closed"] },
        date: { type: ["string", "null"] },
        note: { type: "string" },
      },
    });
  });

  test("names properties of a part together that have one type", () => {
    const gas = { limit: IntegerString, price: IntegerString, cost: IntegerString };
    const output = Type.Object({ named: Type.Object({ ...gas, source: Literals("a", "b") }), same: Type.Object(gas) });
    expect(compactOutput(output).properties).toEqual({
      named: {
        type: "object",
        properties: { source: { enum: ["a", "b"] } },
        patternProperties: { "^(limit|price|cost)$": { type: "string" } },
      },
      same: {
        type: "object",
        patternProperties: { "^(limit|price|cost)$": { type: "string" } },
      },
    });
  });

  test("of two forms has at the root the properties of both", () => {
    const full = Type.Object({ id: Type.String(), data: Type.String(), gas: Type.String() });
    const brief = Type.Object({ id: Type.String(), ready: Type.Boolean() });
    expect(compactOutput(Type.Union([full, brief]))).toEqual({
      type: "object",
      properties: {
        id: { type: "string" },
        data: { type: "string" },
        gas: { type: "string" },
        ready: { type: "boolean" },
      },
    });
  });

  test("writes a part that occurs again once", () => {
    const Token = Type.Object({ symbol: Type.String(), decimals: Type.Integer(), paused: Type.Boolean() });
    const output = Type.Object({ one: Token, others: Type.Array(Token) });
    const token = { symbol: { type: "string" }, decimals: { type: "integer" }, paused: { type: "boolean" } };
    expect(compactOutput(output)).toEqual({
      type: "object",
      properties: { one: { $ref: "#/$defs/A" }, others: { type: "array", items: { $ref: "#/$defs/A" } } },
      $defs: { A: { type: "object", properties: token } },
    });
  });

  test("does not take two lists of properties for a part, even when they are similar", () => {
    const properties = { symbol: Type.String(), decimals: Type.Integer(), paused: Type.Boolean() };
    const output = Type.Object({ ...properties, again: Type.Object(properties) });
    expect(JSON.stringify(compactOutput(output))).not.toContain("$ref");
  });

  test("with many optional fields gives their types", () => {
    const optional = Object.fromEntries(Array.from("abcdefghi", (name) => [name, Type.Optional(Type.Integer())]));
    const Event = Type.Object({ name: Type.String(), ...optional, text: Type.Optional(Nullable(Type.String())) });
    expect(compactOutput(Type.Object({ event: Event })).properties).toEqual({
      event: {
        type: "object",
        properties: { name: { type: "string" } },
        additionalProperties: { type: ["integer", "string", "null"] },
      },
    });
  });
});
