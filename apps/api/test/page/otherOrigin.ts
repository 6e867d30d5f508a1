import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

// The script of a page of another origin, bundled for a real browser by `corsInBrowser.test.ts`.

/** What a server answers over revision 2026-07-28: its tools, and what one of them says. */
async function useMcp(url: string, tool: string): Promise<{ tools: string[]; answer: unknown }> {
  const versionNegotiation = { mode: { pin: "2026-07-28" } };
  const client = new Client({ name: "a-page", version: "1.0.0" }, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: tool, arguments: {} });
  await client.close();
  return { tools: tools.map(({ name }) => name), answer: structuredContent };
}

/** The first two payments of a stream, and how many of its events arrive as messages, without a name. */
function listen(url: string): Promise<{ seqs: number[]; messages: number }> {
  return new Promise((resolve) => {
    const stream = new EventSource(url);
    const seqs: number[] = [];
    let messages = 0;
    stream.onmessage = () => messages++;
    stream.addEventListener("payment.paid", ({ data }) => {
      seqs.push(JSON.parse(data).seq);
      if (seqs.length < 2) return;
      stream.close();
      resolve({ seqs, messages });
    });
  });
}

/** The ids of the events of a stream after the one that the header names, up to `last`. The stream begins with an id without an event, which is left out. */
async function continueStream(url: string, { after, last }: { after: string; last: string }): Promise<string[]> {
  const ending = new AbortController();
  const headers = { Accept: "text/event-stream", "Last-Event-ID": after };
  const { body } = await fetch(url, { headers, signal: ending.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(`id: ${last}\nevent: `)) {
    const part = await reader?.read();
    if (part === undefined || part.done) throw new Error(`the stream ended: ${text}`);
    text += part.value;
  }
  ending.abort();
  return [...text.matchAll(/^id: (\d+)\nevent: /gm)].map(([, id]) => id ?? "");
}

Object.assign(globalThis, { script: { useMcp, listen, continueStream } });
