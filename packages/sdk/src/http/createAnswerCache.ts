/** The text of an answer that a service confirms with 304 as long as it is the same. */
export type KnownAnswer = { etag: string; text: string };

/** The last answer of each polled read. */
export type AnswerCache = {
  get(url: string): KnownAnswer | undefined;
  set(url: string, answer: KnownAnswer): void;
};

/** Answers kept at most; the one that was not asked for longest goes first. */
const ENTRIES = 100;

export function createAnswerCache(): AnswerCache {
  const answers = new Map<string, KnownAnswer>();
  return {
    get: (url) => answers.get(url),
    set(url, answer) {
      answers.delete(url);
      answers.set(url, answer);
      for (const oldest of answers.keys()) {
        if (answers.size <= ENTRIES) break;
        answers.delete(oldest);
      }
    },
  };
}
