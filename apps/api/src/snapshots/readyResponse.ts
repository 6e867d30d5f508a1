import type { Lane } from "@dueday/config/limits";

/** What is told to each client anew. */
export type OwnFields = {
  requestId: string;
  lane: Lane | "none";
  /** Null where no bucket was consulted. */
  rateLimit: { policy: string; rateLimit: string } | null;
};

/**
 * A response that is sent again and again. It is cloned for each request: that costs half of putting one together, and copies none of
 * its bytes. A clone copies the headers, so what differs is written over in the template, and only if it does.
 */
export class ReadyResponse {
  readonly #template: Response;
  #lane = "";
  #policy = "";

  constructor(template: Response) {
    this.#template = template;
  }

  /** The response for one client; its headers may be changed further. */
  respond({ requestId, lane, rateLimit }: OwnFields): Response {
    const { headers } = this.#template;
    headers.set("X-Request-Id", requestId);
    if (lane !== this.#lane) headers.set("X-Service-Lane", lane);
    this.#lane = lane;
    this.#writeLimits(headers, rateLimit);
    // The types of Bun's own responses say that their clones are those of another library.
    return this.#template.clone() as Response;
  }

  #writeLimits(headers: Headers, limits: OwnFields["rateLimit"]): void {
    if (limits === null) {
      headers.delete("RateLimit-Policy");
      headers.delete("RateLimit");
      this.#policy = "";
      return;
    }
    if (limits.policy !== this.#policy) headers.set("RateLimit-Policy", limits.policy);
    this.#policy = limits.policy;
    headers.set("RateLimit", limits.rateLimit);
  }
}
