import { basename, dirname, join, normalize } from "node:path";

/** A source file of a package: its path below `src`, and its text. */
export type SourceFile = { path: string; text: string };

/** An import from one folder into another. A file at the top of `src` counts as a separate folder. */
export type FolderEdge = { from: string; to: string; file: string };

const RELATIVE_IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** All imports between folders, types included. */
export function folderEdges(files: readonly SourceFile[]): FolderEdge[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(RELATIVE_IMPORT)].flatMap(([, target = ""]) => {
      const [from, to] = [folderOf(path), folderOf(normalize(join(dirname(path), target)))];
      return from === to || to.startsWith("..") ? [] : [{ from, to, file: path }];
    }),
  );
}

function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === "." ? basename(path).replace(/\.tsx?$/, "") : folder;
}

/**
 * The imports that are part of a cycle of folders, or lead from one cycle to another. Empty where the folders point one way: then they can be put
 * into an order in which each imports only from those before it.
 */
export function edgesInCycles(edges: readonly FolderEdge[]): FolderEdge[] {
  const [sources, targets] = [new Set(edges.map(({ from }) => from)), new Set(edges.map(({ to }) => to))];
  // What nothing imports, or what imports nothing, is in no cycle.
  const rest = edges.filter(({ from, to }) => targets.has(from) && sources.has(to));
  return rest.length === edges.length ? rest : edgesInCycles(rest);
}
