import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";

import { Catalog, createCatalog } from "./catalog";

export const getCatalog = defineOperation({
  name: "get_catalog",
  http: { method: "GET", path: "/catalog" },
  summary: "Route manifest, access tiers, limits and the chain registry",
  description:
    "Routes, limits and chains at run time. Not filtered by chain: chainId is the default chain, chains[] the whole registry. Paths " +
    "have the /api prefix, which may be left out.",
  chainScoped: false,
  bucket: "cheap",
  area: "service",
  toolsets: [],
  annotations: { readOnlyHint: true, idempotentHint: true },
  errors: [],
  input: Type.Object({}),
  output: Catalog,
  example: {},
  exampleAnswer: createCatalog,
  // The catalog is not a snapshot; it uses the caching, staleness and X-As-Of of the protocol snapshot of the default chain.
  snapshot: ({ service }) => ({
    kind: "protocol",
    key: "",
    variant: "catalog",
    present: () => createCatalog(service),
    bare: true,
  }),
  async handler({ service }) {
    return createCatalog(service);
  },
});
