/** What the fuzz test takes from the OpenAPI document, and from nothing else. */
export type OpenApiDocument = { paths: Record<string, Record<string, OpenApiOperation>>; components: object };

export type JsonSchema = { [key: string]: unknown };
type Content = { "application/json"?: { schema: JsonSchema; example?: unknown } };
type OpenApiOperation = {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: JsonSchema; example?: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

/** One operation, by its name in the list, with a pointer into the document for the schema of each status. */
export type DocumentedOperation = {
  id: string;
  method: string;
  path: string;
  parameters: OpenApiOperation["parameters"];
  body: { schema: JsonSchema; example?: unknown } | null;
  /** By status; null for one without a body. */
  answers: Map<number, string | null>;
};

export function readDocument({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => isJson(responses))
      .map(([method, operation]) => ({
        id: operation.operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters.filter((parameter) => parameter.in !== "header"),
        body: operation.requestBody?.content["application/json"] ?? null,
        answers: new Map(
          Object.entries(operation.responses).map(([status, { content }]) => [
            Number(status),
            content === undefined ? null : pointer("paths", path, method, "responses", status),
          ]),
        ),
      })),
  );
}

/** Whether one form of the answer is JSON: a calendar has a separate test. */
function isJson(responses: OpenApiOperation["responses"]): boolean {
  const { content } = responses["200"] ?? {};
  return content === undefined || content["application/json"] !== undefined;
}

/** A JSON pointer to the schema of a response. */
function pointer(...keys: string[]): string {
  const tokens = [...keys, "content", "application/json", "schema"];
  return tokens.map((key) => `/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");
}
