import { ServiceError } from "@dueday/core/errors";

/**
 * The type of answer that a client prefers among those of an operation. It is the first of them where the Accept header is absent or has only the wildcard for all types.
 *
 * @throws ServiceError NOT_ACCEPTABLE, with the types, where the header names none of them
 */
export function acceptedType<T extends string>(request: Request, types: readonly [T, ...T[]]): T {
  const header = request.headers.get("accept");
  if (header === null || header === "*/*" || header.trim() === "") return types[0];
  let best: { type: T; rank: number } | null = null;
  for (const [index, range] of header.split(",").entries()) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = qualityOf(parameters);
    const type = types.find((each) => matches(name, each));
    if (type === undefined || quality === 0) continue;
    // By quality, then by how exactly the type is named, then by place in the header.
    const rank = quality * 1e8 + (name === type ? 1e4 : name.startsWith("*") ? 0 : 1e3) - Math.min(index, 999);
    if (best === null || rank > best.rank) best = { type, rank };
  }
  if (best === null) throw notAcceptable(types);
  return best.type;
}

function matches(range: string, type: string): boolean {
  return range === type || range === "*/*" || range === `${type.split("/")[0]}/*`;
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const quality = text === undefined ? 1 : Number(text);
  return Number.isFinite(quality) ? Math.min(1, Math.max(0, quality)) : 1;
}

function notAcceptable(types: readonly string[]): ServiceError {
  const message = `This answer has none of the types in Accept: ask for ${types.join(" or ")}`;
  return new ServiceError("NOT_ACCEPTABLE", message, { body: { details: { types } } });
}
