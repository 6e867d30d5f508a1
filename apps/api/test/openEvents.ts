import type { TestApi } from "./startTestApi";

/** An event as a stream sent it. */
export type StreamedEvent = { id: string; event: string; data: Record<string, unknown> };

export type EventReader = {
  status: number;
  headers: Headers;
  /** What has come so far. */
  events: StreamedEvent[];
  comments: number;
  /** Empty before the first. */
  lastComment: string;
  retry: number | null;
  /** Resolves when either side has ended the stream. */
  ended: Promise<void>;
  /** Whether the connection was cut before the stream had ended. */
  isCut: boolean;
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
    status: response.status,
    headers: response.headers,
    events: [],
    comments: 0,
    lastComment: "",
    retry: null,
    ended: Promise.resolve(),
    isCut: false,
    close: () => controller.abort(),
  };
  reader.ended = collect(response, reader).catch(() => {
    reader.isCut = true;
  });
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
  if (block.startsWith(":")) {
    reader.comments++;
    reader.lastComment = block.slice(": ".length);
  } else if (block.startsWith("retry: ")) reader.retry = Number(block.slice("retry: ".length));
  else {
    const fields = Object.fromEntries(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
    );
    reader.events.push({ id: fields.id ?? "", event: fields.event ?? "", data: JSON.parse(fields.data ?? "null") });
  }
}
