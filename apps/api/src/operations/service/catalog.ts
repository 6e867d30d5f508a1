import { caip2 } from "@dueday/core/chains";
import { listOf } from "@dueday/core/paging";
import { ChainId, Count, described, Sentence, ShortText } from "@dueday/core/schema";
import { type Static, Type } from "@sinclair/typebox";
import type { ServiceFacts } from "../../operation/context";

const Limits = Type.Object({
  globalRpm: Count,
  expensiveRpm: Count,
  subgraphDaily: Count,
  writeRpm: Count,
  writeDaily: Count,
  dailyTotalRequests: Count,
});

/** An entry of the chain registry. `default` marks the default chain of REST. */
export const ChainEntry = Type.Object({
  chainId: ChainId,
  caip2: ShortText,
  name: ShortText,
  rest: Type.Boolean(),
  mcp: Type.Boolean(),
  default: Type.Boolean(),
});

/** The catalog, version 3. */
export const Catalog = Type.Object({
  version: Type.Literal("3"),
  chainId: described(ChainId, "The default chain of REST"),
  chains: Type.Array(ChainEntry, { maxItems: 1_000 }),
  pathNote: ShortText,
  access: Type.Object({
    rest: Type.Object({
      free: Type.Object({ auth: ShortText, limits: Limits }),
      developer: Type.Object({
        auth: ShortText,
        enabled: Type.Boolean(),
        limits: Limits,
        management: Type.Object({
          create: ShortText,
          list: ShortText,
          revoke: ShortText,
          adminAuth: Type.Array(ShortText, { maxItems: 2 }),
        }),
      }),
    }),
    mcp: Type.Object({ auth: ShortText, limits: Type.Object({ free: Limits, developer: Limits }) }),
  }),
  apiEnabled: Type.Boolean(),
  developerKeysEnabled: Type.Boolean(),
  routes: listOf(Type.Object({ method: ShortText, path: ShortText, description: Sentence })),
});
export type Catalog = Static<typeof Catalog>;

const BEARER = "Authorization: Bearer <API_KEY>";

/** Makes the catalog from the settings and the list of operations. */
export function createCatalog({ config, operations }: Pick<ServiceFacts, "config" | "operations">): Catalog {
  const { free, developer } = config.limits;
  return {
    version: "3",
    chainId: config.defaultRestChainId,
    chains: config.chains.map(({ chainId, name, rest, mcp }) => ({
      chainId,
      caip2: caip2(chainId),
      name,
      rest,
      mcp,
      default: chainId === config.defaultRestChainId,
    })),
    pathNote: "Paths carry the /api prefix; every path is served with and without it.",
    access: {
      rest: {
        free: { auth: "none", limits: { ...free } },
        developer: {
          auth: BEARER,
          enabled: config.developerKeysEnabled,
          limits: { ...developer },
          management: {
            create: "POST /developer/keys",
            list: "GET /developer/keys",
            revoke: "DELETE /developer/keys/:id",
            adminAuth: ["Authorization: Bearer <ADMIN_SECRET>", "X-Service-Admin-Key: <ADMIN_SECRET>"],
          },
        },
      },
      mcp: { auth: `none, or ${BEARER}`, limits: { free: { ...free }, developer: { ...developer } } },
    },
    apiEnabled: config.apiEnabled,
    developerKeysEnabled: config.developerKeysEnabled,
    routes: operations.map(({ http, summary }) => ({
      method: http.method,
      path: `/api${http.path === "/" ? "" : http.path}`,
      description: summary,
    })),
  };
}
