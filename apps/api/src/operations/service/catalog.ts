import { type Static, Type } from "@sinclair/typebox";

const Limits = Type.Object({
  globalRpm: Type.Integer(),
  expensiveRpm: Type.Integer(),
  subgraphDaily: Type.Integer(),
  writeRpm: Type.Integer(),
  writeDaily: Type.Integer(),
  dailyTotalRequests: Type.Integer(),
});

/** An entry of the chain registry. `default` marks the default chain of REST. */
export const ChainEntry = Type.Object({
  chainId: Type.Integer(),
  caip2: Type.String(),
  name: Type.String(),
  rest: Type.Boolean(),
  mcp: Type.Boolean(),
  default: Type.Boolean(),
});

/** The catalog, version 3 (interface, Catalog response). */
export const Catalog = Type.Object({
  version: Type.Literal("3"),
  chainId: Type.Integer({ description: "The default chain of REST" }),
  chains: Type.Array(ChainEntry),
  pathNote: Type.String(),
  access: Type.Object({
    rest: Type.Object({
      free: Type.Object({ auth: Type.String(), limits: Limits }),
      developer: Type.Object({
        auth: Type.String(),
        enabled: Type.Boolean(),
        limits: Limits,
        management: Type.Object({
          create: Type.String(),
          list: Type.String(),
          revoke: Type.String(),
          adminAuth: Type.Array(Type.String()),
        }),
      }),
    }),
    mcp: Type.Object({ auth: Type.String(), limits: Type.Object({ free: Limits, developer: Limits }) }),
  }),
  apiEnabled: Type.Boolean(),
  developerKeysEnabled: Type.Boolean(),
  routes: Type.Array(Type.Object({ method: Type.String(), path: Type.String(), description: Type.String() })),
});
export type Catalog = Static<typeof Catalog>;
