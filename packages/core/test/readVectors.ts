const folder = new URL("../../devnet/vectors/", import.meta.url);

/** Rows of a recorded CSV file (no quoting in it), keyed by its header. */
export async function readVectors(file: string): Promise<Record<string, string>[]> {
  const [header = "", ...lines] = (await Bun.file(new URL(file, folder)).text()).trim().split("\n");
  const names = header.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((value, index) => [names[index] ?? "", value])));
}
