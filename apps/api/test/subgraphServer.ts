import { buildSchema, graphql } from "graphql";

/** An event or a profile as the subgraph keeps it; numbers as text, as its BigInts are. */
export type Entity = Record<string, string | number>;

export type SubgraphContent = {
  subLogs: Entity[];
  detailsLogs: Entity[];
  provDetailsLogs: Entity[];
  callerLogs?: Entity[];
};

export type SubgraphServer = {
  url: string;
  secret: string;
  mood: "well" | "broken" | "silent" | "garbage";
  stop(): void;
};

const COMMON = `provider: Bytes!, timestamp: BigInt!, blockNumber: BigInt!, blockTimestamp: BigInt!, transactionHash: Bytes!`;
const ENTITIES = {
  SubLog: `id: Bytes!, internal_id: Bytes!, ${COMMON}, subscriber: Bytes!, amount: BigInt!, token: Bytes!, subScriptEvent: Int!`,
  DetailsLog: `id: Bytes!, internal_id: Bytes!, ${COMMON}, url: String!, description: String!`,
  ProvDetailsLog: `id: Bytes!, ${COMMON}, description: String!, company: String!, url: String!, domain: String!, email: String!, misc: String!`,
  CallerLog: `id: Bytes!, timestamp: BigInt!, checkedDay: BigInt!, caller: Bytes!, isFinished: Boolean!`,
};

/** The filters that the service uses, of those that a Graph node generates: equality, and an upper bound of the block number. */
const FILTERS =
  "blockNumber_lte: BigInt, id: Bytes, internal_id: Bytes, provider: Bytes, subscriber: Bytes, token: Bytes, subScriptEvent: Int";

const SCHEMA = buildSchema(`
  scalar Bytes
  scalar BigInt
  enum OrderDirection { asc desc }
  input Filter { ${FILTERS} }
  ${Object.entries(ENTITIES)
    .map(([name, fields]) => `type ${name} { ${fields} }`)
    .join("\n")}
  enum OrderBy { id blockNumber timestamp }
  type Query {
    ${[
      ["subLogs", "SubLog"],
      ["detailsLogs", "DetailsLog"],
      ["provDetailsLogs", "ProvDetailsLog"],
      ["callerLogs", "CallerLog"],
    ]
      .map(
        ([field, type]) =>
          `${field}(where: Filter, first: Int = 100, skip: Int = 0, orderBy: OrderBy, orderDirection: OrderDirection): [${type}!]!`,
      )
      .join("\n")}
  }
`);

type Arguments = {
  where?: Record<string, string | number>;
  first: number;
  skip: number;
  orderBy?: string;
  orderDirection?: "asc" | "desc";
};

/** A GraphQL server with the subgraph's schema, within the limits of a Graph node. */
export function startSubgraphServer(content: SubgraphContent): SubgraphServer {
  const secret = `key-${crypto.randomUUID()}`;
  const rootValue = Object.fromEntries(
    Object.entries(content).map(([field, entities]) => [field, (args: Arguments) => select(entities, args)]),
  );
  const http = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (server.mood === "silent") return new Promise<Response>(() => {});
      if (server.mood === "broken") return new Response(`no access with ${secret}`, { status: 502 });
      if (server.mood === "garbage") return Response.json({ data: { list: [{ id: secret }] } });
      const { query }: { query: string } = JSON.parse(await request.text());
      return Response.json(await graphql({ schema: SCHEMA, source: query, rootValue }));
    },
  });
  const server: SubgraphServer = {
    url: `${http.url}${secret}`,
    secret,
    mood: "well",
    stop: () => void http.stop(true),
  };
  return server;
}

function select(
  entities: readonly Entity[],
  { where = {}, first, skip, orderBy = "id", orderDirection }: Arguments,
): Entity[] {
  if (first > 1_000 || skip > 5_000) throw new Error("first is at most 1000, skip at most 5000");
  const matching = entities.filter((entity) =>
    Object.entries(where).every(([name, value]) =>
      name === "blockNumber_lte" ? BigInt(entity.blockNumber ?? 0) <= BigInt(value) : entity[name] === value,
    ),
  );
  const key = (entity: Entity) => (orderBy === "id" ? 0n : BigInt(entity[orderBy] ?? 0));
  const ordered = matching.toSorted((a, b) => Number(key(a) - key(b)) || (String(a.id) < String(b.id) ? -1 : 1));
  return (orderDirection === "desc" ? ordered.toReversed() : ordered).slice(skip, skip + first);
}
