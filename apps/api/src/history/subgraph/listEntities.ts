import { type Static, type TObject, Type } from "@sinclair/typebox";
import { fieldsOf } from "./entities";
import { querySubgraph, type SubgraphEndpoint } from "./querySubgraph";

/** Most entities that a subgraph returns at once. */
const PAGE = 1_000;

export type EntityList<T extends TObject> = {
  /** The query's field, e.g. subLogs. */
  field: "subLogs" | "detailsLogs" | "provDetailsLogs";
  entity: T;
  /** Conditions as GraphQL writes them. Checked values only: they become part of the query. */
  where: string;
};

/** Entities that match, newest first: `count` of them after the first `skip`, or fewer where there are no more. */
export async function listEntities<T extends TObject>(
  endpoint: SubgraphEndpoint,
  { field, entity, where }: EntityList<T>,
  { skip, count }: { skip: number; count: number },
): Promise<Static<T>[]> {
  const found: Static<T>[] = [];
  while (found.length < count) {
    const first = Math.min(PAGE, count - found.length);
    const query = `{ list: ${field}(where: { ${where} }, first: ${first}, skip: ${skip + found.length}, orderBy: blockNumber,
      orderDirection: desc) { ${fieldsOf(entity)} } }`;
    const { list } = await querySubgraph(endpoint, query, Type.Object({ list: Type.Array(entity) }));
    found.push(...list);
    if (list.length < first) break;
  }
  return found;
}
