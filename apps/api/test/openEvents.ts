import type { TestApi } from "./startTestApi";

/** An event as a stream sent it. */
export type StreamedEvent = { id: string; event: string; data: Record<string, unknown> };

export type EventReader = {
  status: number;
  headers: Headers;
  /** What has come so far. */
  events: StreamedEvent[];
  comments: number;
  retry: number | null;
  /** Resolves when either side has ended the stream. */
  ended: Promise<void>;
  close(): void;
};

/** Opens GET /events as a stream and collects what comes. */
export async function openEvents(
  api: Pick<TestApi, "url">,
  query = "",
  headers: Record<string, string> = {},
): Promise<EventReader> {
  const controller = new AbortController();
  const response = await fetch(`${api.url}/events${query === "" ? "" : `?${query}`}`, {
    headers: { Accept: "text/event-stream", ...headers },
    signal: controller.signal,
  });
  const reader: EventReader = {
    ...{ status: response.status, headers: response.headers, events: [], comments: 0, retry: null },
    ended: Promise.resolve(),
    close: () => controller.abort(),
  };
  reader.ended = collect(response, reader).catch(() => {});
  return reader;
}

async function collect(response: Response, reader: EventReader): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) readBlock(block, reader);
  }
}

function readBlock(block: string, reader: EventReader): void {
  if (block.startsWith(":")) reader.comments++;
  else if (block.startsWith("retry: ")) reader.retry = Number(block.slice("retry: ".length));
  else {
    const fields = Object.fromEntries(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
    );
    reader.events.push({ id: fields.id ?? "", event: fields.event ?? "", data: JSON.parse(fields.data ?? "null") });
  }
}
