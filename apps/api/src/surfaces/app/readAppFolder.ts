import { basename, join } from "node:path";

/** The encodings in which a build has its files, best first, with the ends of their names. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** One file of the built web app, in each form that it is sent in. */
export type AppFile = {
  type: string;
  etag: string;
  plain: Blob;
  /** Best first. */
  encoded: readonly { encoding: string; body: Blob }[];
};

/** Files of the folder that keep their names. */
const PAGE = "index.html";
const CHECKOUT = "checkout.html";
const BUTTON = "pay.js";

/** The built web app in memory. */
export type AppFolder = {
  /** The page at /app and at every address below it, where `pages` has none for the address. */
  page: AppFile;
  /** The same with the code of one page of the app, by the name of that page. */
  pages: ReadonlyMap<string, AppFile>;
  checkout: AppFile;
  button: AppFile;
  /** By the path below /app. */
  files: ReadonlyMap<string, AppFile>;
};

/**
 * Reads a folder that the build of the web app wrote. Its files are less than three megabytes, and all answers share their bytes.
 *
 * @returns null where there is no build in it
 */
export async function readAppFolder(folder: string): Promise<AppFolder | null> {
  if (!(await Bun.file(join(folder, PAGE)).exists())) return null;
  const pages = await readFiles(folder, "pages/*.html");
  return {
    page: await readFile(folder, PAGE),
    checkout: await readFile(folder, CHECKOUT),
    button: await readFile(folder, BUTTON),
    pages: new Map([...pages].map(([path, file]) => [basename(path, ".html"), file])),
    files: await readFiles(folder, "assets/*.{js,css,svg,png,ico,woff2}"),
  };
}

async function readFiles(folder: string, pattern: string): Promise<Map<string, AppFile>> {
  const paths = await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: folder }));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(folder, path)] as const)));
}

async function readFile(folder: string, path: string): Promise<AppFile> {
  const file = Bun.file(join(folder, path));
  const bytes = await file.bytes();
  const encoded = ENCODINGS.map(async ([encoding, end]) => {
    const compressed = Bun.file(join(folder, `${path}${end}`));
    return (await compressed.exists()) ? [{ encoding, body: new Blob([await compressed.bytes()]) }] : [];
  });
  return {
    type: file.type,
    etag: `"${new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 32)}"`,
    plain: new Blob([bytes]),
    encoded: (await Promise.all(encoded)).flat(),
  };
}
