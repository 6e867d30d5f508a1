import { type JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

type Handle = WebStandardStreamableHTTPServerTransport["handleRequest"];

/** Keeps the answers to all requests of one HTTP request, and builds the response when they are complete and `beforeBuilding` allows it. */
export class WholeTransport extends WebStandardStreamableHTTPServerTransport {
  private readonly answers: JSONRPCMessage[] = [];
  private readonly refused = Promise.withResolvers<never>();

  constructor(
    private readonly requests: number,
    private readonly beforeBuilding: () => Promise<void>,
  ) {
    // Without a session id generator it keeps no sessions.
    super({ enableJsonResponse: true });
  }

  /** @throws what `beforeBuilding` throws */
  override handleRequest(...parameters: Parameters<Handle>): ReturnType<Handle> {
    return Promise.race([super.handleRequest(...parameters), this.refused.promise]);
  }

  override async send(answer: JSONRPCMessage): Promise<void> {
    this.answers.push(answer);
    if (this.answers.length < this.requests) return;
    try {
      await this.beforeBuilding();
    } catch (error) {
      return this.refused.reject(error);
    }
    for (const each of this.answers) await super.send(each);
  }
}
