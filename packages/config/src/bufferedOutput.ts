import { writeSync } from "node:fs";
import { BLOCK_BYTES, type LineBlock } from "./lineBlock";

const FLUSH_EVERY_MS = 100;
const RETRY_PAUSE_MS = 10;

/** Where log lines go, as text or as bytes. `flush` returns when all of them are written. */
export type Output = LineBlock & { write(text: string): void; flush(): void };

/**
 * Lines to a file descriptor in large blocks: when a block is full, ten times a second, and at the end of the process. A busy API
 * writes some megabytes a second, and handing each line on by itself costs more than the rest of a cached answer.
 */
export function bufferedOutput(descriptor: number): Output {
  const block = new Uint8Array(BLOCK_BYTES);
  const encoder = new TextEncoder();
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let filled = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    let written = 0;
    while (written < filled) {
      try {
        written += writeSync(descriptor, block, written, filled - written);
      } catch (error) {
        // Nobody reads any more: there is nowhere left to say so.
        if (!isBusy(error)) break;
        // A reader that is behind: lines are not lost for it, as long as it reads at all.
        Atomics.wait(pause, 0, 0, RETRY_PAUSE_MS);
      }
    }
    filled = 0;
  }

  process.once("exit", flush);
  return {
    block,
    begin(longest) {
      if (filled + longest > BLOCK_BYTES) flush();
      timer ??= setTimeout(flush, FLUSH_EVERY_MS);
      return filled;
    },
    end(at) {
      filled = at;
    },
    write(text) {
      let rest = text;
      for (;;) {
        const { read, written } = encoder.encodeInto(rest, filled === 0 ? block : block.subarray(filled));
        filled += written;
        if (read === rest.length) break;
        rest = rest.slice(read);
        flush();
      }
      timer ??= setTimeout(flush, FLUSH_EVERY_MS);
    },
    flush,
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
