/** A constant, setting or bound that counts blocks where it has to state a time. */
export type BlockCount = {
  /** Where it stands and what it is called: the key of `allowed`. */
  name: string;
  line: number;
  text: string;
};

/** What may count blocks, with the reason: caps of providers, rules of the protocol of nodes, and sizes that bound memory or a request. */
export type AllowedCounts = Readonly<Record<string, string>>;

const NUMBER = /^-?\d[\d_]*n?\b/;
/** Units of time or size after a name, or in words: then the number counts no blocks. */
const OTHER_UNIT = /(?:_MS|_SECONDS|_BYTES|_LENGTH|_GAS|Ms|Seconds|Bytes)$/;
const OTHER_UNIT_IN_WORDS = /\b(?:milliseconds|seconds?|minutes?|hours?|days?|ms|bytes|gas|requests)\b/i;
/** "Blocks that are remembered", "the longest path of blocks", "the latest blocks". */
const COUNTED_IN_WORDS = /^\W*(?:\w+ )?blocks\b|\b(?:of|many|more|most|longest|latest|last|recent) (?:\w+ )?blocks\b/i;
const NAMED = /(?:BLOCKS|CONFIRMATIONS|Blocks$|Confirmations$|^blocks$|^confirmations$)/;
const DECLARED = /\b(?:const|let)\s+(\w+)(?::[^=]+)?\s*=\s*(-?\d[\d_]*n?)(?!\.?\d)/;
const PROPERTY = /\b(\w+)\??\s*[:=]\s*(-?\d[\d_]*n?)\s*[,;})]?/g;
const SETTING = /"((?:[A-Z]+_)*BLOCKS)"/g;
/** `head.number - 600n`: two digits or more, because a smaller distance is a neighbour and not a window. */
const WINDOW = /\b((?:\w+\.)*(?:number|head|\w*[bB]lock(?:Number)?))\s*[-+]\s*(\d[\d_]+n?)\b/g;

/**
 * Finds numbers that count blocks in a source file: by name (`KEPT_BLOCKS = 5_000`, `everyBlocks: 3`), by the comment before them
 * ("Blocks that are remembered"), as a distance of block numbers (`head.number - 600n`), and as a setting (`"FINALITY_BLOCKS"`).
 * One and zero are neighbours and starts, not windows.
 *
 * @param path from the root of the repository
 */
export function findBlockCounts(path: string, source: string): BlockCount[] {
  const found = new Map<string, BlockCount>();
  let comment = "";
  source.split("\n").forEach((text, index) => {
    const line = index + 1;
    const note = (name: string) => {
      const key = `${path} ${name}`;
      if (!found.has(key)) found.set(key, { name: key, line, text: text.trim() });
    };
    if (/^\s*(?:\/\/|\/\*|\*)/.test(text)) {
      comment = /^\s*(?:\/\/|\/\*)/.test(text) && !/^\s*\/\//.test(comment) ? text : `${comment} ${text}`;
      return;
    }
    const [code = "", trailing = ""] = splitComment(text);
    const [, name = "", value = ""] = DECLARED.exec(code) ?? [];
    const words = `${comment} ${trailing}`;
    if (isCount(value) && !OTHER_UNIT.test(name) && (NAMED.test(name) || countsInWords(words))) note(name);
    for (const [, property = "", amount = ""] of code.matchAll(PROPERTY))
      if (isCount(amount) && NAMED.test(property)) note(property);
    for (const [, setting = ""] of code.matchAll(SETTING)) note(setting);
    for (const [, number = "", distance = ""] of code.matchAll(WINDOW)) note(`${number} ${distance}`);
    comment = "";
  });
  return [...found.values()];
}

/** The counts that are not allowed, and the allowances that nothing needs any more, as sentences. */
export function judgeBlockCounts(counts: readonly BlockCount[], allowed: AllowedCounts): string[] {
  const names = new Set(counts.map(({ name }) => name));
  return [
    ...counts.flatMap(({ name, line, text }) =>
      name in allowed
        ? []
        : [`${name} (line ${line}) counts blocks: state a time, or list it with its reason: ${text}`],
    ),
    ...Object.keys(allowed).flatMap((name) =>
      names.has(name) ? [] : [`${name} counts no blocks: remove it from the list`],
    ),
  ];
}

function splitComment(text: string): string[] {
  const start = text.search(/(?<![:"'`/])\/\/ /);
  return start === -1 ? [text, ""] : [text.slice(0, start), text.slice(start)];
}

function isCount(value: string): boolean {
  return NUMBER.test(value) && !["0", "0n", "1", "1n", "-1"].includes(value);
}

/** Whether a comment describes a number of blocks: it names blocks and no other unit. */
function countsInWords(comment: string): boolean {
  return COUNTED_IN_WORDS.test(comment) && !OTHER_UNIT_IN_WORDS.test(comment);
}
