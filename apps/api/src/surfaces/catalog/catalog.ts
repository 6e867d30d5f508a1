import { caip2 } from "@dueday/core/chains";
import type { ServiceFacts } from "../../operation/context";
import type { Catalog } from "../../operations/service/catalog";

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
