import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

export type DeclarationsOptions = {
  /** Folder of the package, with its modules in `src`. */
  from: string;
  /** Folder of the declarations. */
  to: string;
  /** Modules that the package exports, by their name in `src`. */
  entries: readonly string[];
  /** Declarations that stand in for those of a module. */
  written?: Readonly<Record<string, string>>;
};

/** Writes the declarations of the exported modules, and of those that they import within the package. */
export async function writeDeclarations({ from, to, entries, written = {} }: DeclarationsOptions): Promise<void> {
  const emitted = await mkdtemp(join(tmpdir(), "dueday-types-"));
  try {
    await emitDeclarations(
      entries.map((name) => join(from, `src/${name}.ts`)),
      emitted,
    );
    const source = join(emitted, relative(ROOT, from), "src");
    const done = new Set<string>();
    const write = async (module: string): Promise<void> => {
      if (done.has(module)) return;
      done.add(module);
      const text = written[module] ?? (await readFile(join(source, `${module}.d.ts`), "utf8"));
      // Node's resolution wants the name of the file.
      const imported: string[] = [];
      const named = text.replace(/(from |import\()"(\.[^"]*)"/g, (_, start: string, path: string) => {
        const target = join(dirname(module), path);
        imported.push(target === "." ? "index" : target);
        return `${start}"${target === "." ? `${path}/index` : path}.js"`;
      });
      const file = join(to, `${module}.d.ts`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, named);
      await Promise.all(imported.map(write));
    };
    await Promise.all(entries.map(write));
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

async function emitDeclarations(files: string[], outDir: string): Promise<void> {
  const config = join(outDir, "tsconfig.json");
  const types = [join(ROOT, "node_modules/bun-types")];
  const compilerOptions = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: ROOT, outDir, types };
  await writeFile(
    config,
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, files, include: [] }),
  );
  // Parallel checkers would check parts of a small program several times, which takes twice the time on two cores.
  const compiler = Bun.spawn([process.execPath, "x", "tsc", "--singleThreaded", "-p", config], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(compiler.stdout).text();
  if ((await compiler.exited) !== 0) throw new Error(`the declarations could not be written:\n${output}`);
}
