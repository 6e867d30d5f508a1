import { lookup } from "node:dns/promises";
import { within } from "@dueday/core/within";

const DEADLINE_MS = 5_000;

/** All addresses of a host name by the system's resolver. @throws Error where it has none, or after 5 s */
export async function resolveHost(hostname: string): Promise<string[]> {
  const found = await within("resolving a host name", DEADLINE_MS, lookup(hostname, { all: true }));
  return found.map(({ address }) => address);
}
