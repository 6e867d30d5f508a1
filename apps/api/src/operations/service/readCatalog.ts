import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { createCatalog } from "../../surfaces/catalog/catalog";
import { Catalog } from "./catalog";

export const readCatalog = defineOperation({
  name: "get_catalog",
  http: { method: "GET", path: "/catalog" },
  summary: "Route manifest, access tiers, limits and the chain registry",
  description:
    "Everything a client needs to know at run time. Not filtered by chain: chainId names the default chain, chains[] the whole " +
    "registry. Paths carry the /api prefix, which may be left out.",
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
  // The catalog itself is no snapshot; it borrows tag, caching and X-As-Of from the default chain's newest one.
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
