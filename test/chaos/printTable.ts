import type { Expectation, Fault } from "./faults";
import type { Sighting } from "./startWatcher";

export type Result = { fault: Fault; seen: Sighting; recoveryMs: number; index: string | null };

/** Prints the table of docs/operating.md. */
export function printTable(results: readonly Result[]): void {
  const rows = results.map(({ fault, seen, recoveryMs, index }) => [
    fault.name,
    expectedText(fault.expected),
    seenText(seen),
    String(seen.wrong.length),
    `${(recoveryMs / 1000).toFixed(1)} s`,
    index ?? "equal",
  ]);
  const header = ["fault", "expected", "the client saw", "wrong", "healthy after", "index and chain"];
  for (const row of [header, header.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
}

function expectedText({ polled, live, lostApi }: Expectation): string {
  const lost = lostApi === undefined ? "" : `; one API ${lostApi}`;
  return `polled reads ${polled === "fresh" ? "stay fresh" : polled === "stale" ? "turn stale" : polled}, live ones ${live}${lost}`;
}

function seenText({ fresh, stale, live, errors, refused, cut }: Sighting): string {
  const failures = Object.entries(errors).map(([name, count]) => `${count} ${name}`);
  const counts = [`${fresh} fresh`, `${stale} stale`, `${live} live`, ...failures];
  if (refused > 0) counts.push(`${refused} refused`);
  if (cut.length > 0) counts.push(`${cut.length} cut`);
  return counts.join(", ");
}
