import { BLOCK_BYTES, type LineBlock } from "./lineBlock";

/** Hands the lines of one turn of the event loop on together, as text, at its end. */
export function turnBlock(write: (lines: string) => void): LineBlock {
  const block = new Uint8Array(BLOCK_BYTES);
  const decoder = new TextDecoder();
  let filled = 0;

  function flush(): void {
    if (filled === 0) return;
    const lines = decoder.decode(block.subarray(0, filled));
    filled = 0;
    write(lines);
  }

  return {
    block,
    begin(longest) {
      if (filled + longest > BLOCK_BYTES) flush();
      if (filled === 0) setImmediate(flush);
      return filled;
    },
    end(at) {
      filled = at;
    },
  };
}
