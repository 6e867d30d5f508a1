import pino from "pino";

const BLOCK_LENGTH = 32_768;
const FLUSH_EVERY_MS = 100;
/** The most bytes that are kept while nothing can be written (a full disk); lines beyond them are dropped. */
const MOST_UNWRITTEN_BYTES = 1_048_576;

/** Takes lines as text, each with its end. `flush` returns when all of them are written. */
export type Output = { write(lines: string): void; flush(): void };

/**
 * Writes lines to a file descriptor in blocks. A block is written when it is full, after 100 ms, and when the process exits.
 * Writes are synchronous: lines keep their order, and a slow reader slows the process down instead of filling its memory.
 *
 * pino's destination has a buffer too (`minLength`), but measures all of it for each line: 3 us a line instead of 0.5. The
 * difference is 10 % of a cached read.
 *
 * @param edit applied to each block before it is written
 */
export function bufferedOutput(descriptor: number, edit: (lines: string) => string): Output {
  const destination = pino.destination({ dest: descriptor, sync: true, maxLength: MOST_UNWRITTEN_BYTES });
  // A log that can't be written does not stop the service.
  destination.on("error", () => {});
  let block = "";
  let timer: ReturnType<typeof setTimeout> | null = null;

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const lines = block;
    block = "";
    destination.write(edit(lines));
  }

  process.once("exit", flush);
  return {
    write(lines) {
      block += lines;
      if (block.length >= BLOCK_LENGTH) flush();
      else timer ??= setTimeout(flush, FLUSH_EVERY_MS);
    },
    flush,
  };
}
