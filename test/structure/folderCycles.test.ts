import { expect, test } from "bun:test";
import { edgesInCycles, folderEdges } from "./folderCycles";

const file = (path: string, ...targets: string[]) => ({
  path,
  text: targets.map((target) => `import type { A } from "${target}";`).join("\n"),
});

test("folders that import from each other are found, through a third one and by types alone", () => {
  const edges = folderEdges([
    file("a/one.ts", "../b/two"),
    file("b/two.ts", "../c/three"),
    file("c/three.ts", "../a/four"),
  ]);
  expect(edgesInCycles(edges).map(({ from, to }) => `${from} ${to}`)).toEqual(["a b", "b c", "c a"]);
});

test("folders that point one way are no finding, however many imports they share", () => {
  const edges = folderEdges([
    file("main.ts", "./a/one", "./c/three"),
    file("a/one.ts", "../b/two", "./four"),
    file("b/two.ts", "../c/three", "../errors"),
    file("c/three.ts", "../errors"),
    file("errors.ts"),
  ]);
  expect(edges).toHaveLength(6);
  expect(edgesInCycles(edges)).toEqual([]);
});

test("a file at the top counts as a separate folder: a package's composition may import what imports its errors", () => {
  const edges = folderEdges([file("start.ts", "./a/one"), file("a/one.ts", "../errors"), file("errors.ts", "./a/one")]);
  expect(edgesInCycles(edges).map(({ from, to }) => `${from} ${to}`)).toEqual(["a errors", "errors a"]);
});
