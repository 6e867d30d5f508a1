/** The text without this character at its end, in linear time: a pattern such as `/0+$/` takes quadratic time for long runs. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
