import type { LaneLimits } from "@dueday/config/limits";
import { Counted } from "../limits/counted";
import type { Limiter } from "../limits/limiter";
import type { Caller } from "./caller";
import type { ClientIdentity } from "./clientIdentity";

/** A client by its address: the caller that it is without credentials. It is counted as itself, one object instead of two. */
export class Client extends Counted implements Caller {
  readonly lane = "free";
  readonly counted = this;
  readonly client: string;
  /** Yesterday's hash while it counts too, else null. */
  readonly previous: string | null;

  constructor({ hash, previousHash }: ClientIdentity, limiter: Limiter, limits: LaneLimits) {
    const previousIdentity = previousHash === null ? null : `free:${previousHash}`;
    super({ limiter, identity: `free:${hash}`, previousIdentity, limits });
    this.client = hash;
    this.previous = previousHash;
  }
}
