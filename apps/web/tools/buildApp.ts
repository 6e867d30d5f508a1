import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { hashSources } from "./hashSources";
import { writePages } from "./writePages";

/** Path of the files' URLs, at which the API serves the folder. */
const PUBLIC_PATH = "/app/";
const FOLDER = join(import.meta.dir, "../build");
const STAMP = "sources.txt";
/** A smaller file is sent as it is. */
const COMPRESSED_FROM_BYTES = 512;

/**
 * Builds the web app into static files, each with its gzip and brotli form beside it. Returns the folder. Nothing is built where the
 * folder was built from the same sources: this step of a start then takes some milliseconds.
 *
 * @throws AggregateError with each fault of the sources
 */
export async function buildApp(folder: string = FOLDER): Promise<string> {
  const hash = await hashSources();
  if (await isBuiltFrom(folder, hash)) return folder;
  // Built beside the folder, and moved there when complete: another process may serve the folder, or build it too.
  const draft = `${folder}.${process.pid}`;
  const paths = await Promise.all([buildPages(draft), buildButton(draft)]);
  await Promise.all(paths.flat().map(compress));
  await Bun.write(join(draft, STAMP), hash);
  // Another process may have built the same meanwhile, and may be reading it.
  if (await isBuiltFrom(folder, hash)) await rm(draft, { recursive: true });
  else await replaceFolder(draft, folder);
  return folder;
}

async function isBuiltFrom(folder: string, hash: string): Promise<boolean> {
  const stamp = Bun.file(join(folder, STAMP));
  return (await stamp.exists()) && (await stamp.text()) === hash;
}

const shared = { target: "browser", minify: true, define: { "process.env.NODE_ENV": '"production"' } } as const;

/** The pages below /app and that of a checkout. In this build they alone keep their names; everything else may be cached for ever. */
async function buildPages(outdir: string): Promise<string[]> {
  const { outputs, metafile } = await Bun.build({
    ...shared,
    entrypoints: ["index.html", "checkout.html"].map((name) => join(import.meta.dir, "../src", name)),
    outdir,
    splitting: true,
    metafile: true,
    publicPath: PUBLIC_PATH,
    naming: { entry: "[name].[ext]", chunk: "assets/[name]-[hash].[ext]", asset: "assets/[name]-[hash].[ext]" },
  });
  if (metafile === undefined) throw new Error("the build returned no metafile");
  return [...outputs.map(({ path }) => path), ...(await writePages(outdir, PUBLIC_PATH, metafile))];
}

/** The script of the button, which shops load: one file, not a module. */
async function buildButton(outdir: string): Promise<string[]> {
  const entrypoints = [join(import.meta.dir, "../src/button/pay.ts")];
  const { outputs } = await Bun.build({ ...shared, entrypoints, outdir, format: "iife", naming: "[name].[ext]" });
  return outputs.map(({ path }) => path);
}

async function replaceFolder(draft: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  try {
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process has put the same build there meanwhile.
    if (!(error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST")))
      throw error;
  }
}

async function compress(path: string): Promise<void> {
  const bytes = await Bun.file(path).bytes();
  if (bytes.length < COMPRESSED_FROM_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Bun.write(`${path}.gz`, Bun.gzipSync(bytes, { level: 9 }));
  await Bun.write(`${path}.br`, brotliCompressSync(bytes, { params }));
}
