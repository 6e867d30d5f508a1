/** The text of an answer that a service confirms with 304 as long as it is the same. */
export type KnownAnswer = { etag: string; text: string };

/** The last answer of each polled read. */
export type AnswerCache = {
  get(url: string): KnownAnswer | undefined;
  set(url: string, answer: KnownAnswer): void;
};

/** The most answers that are kept. The least recently requested one is removed first. */
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
