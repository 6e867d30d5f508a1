import { basename, join } from "node:path";

/** A page's module, such as `pages/my/MyPage.tsx`; its file is named after the page, such as `MyPage-1a2b3c.js`. */
const PAGE_SCRIPT = /\/pages\/\w+\/(?<name>\w+)Page\.tsx$/;

/**
 * Writes `pages/<name>.html` for each page of the web app, such as `pages/my.html`: a copy of index.html that also makes the browser
 * load the page's own code at once, and not only after the code that chooses the page.
 *
 * @param publicPath path of the files' URLs
 * @returns the paths of the files
 */
export async function writePages(folder: string, publicPath: string, build: Bun.BuildMetafile): Promise<string[]> {
  const html = await Bun.file(join(folder, "index.html")).text();
  const written = Object.entries(build.outputs).map(async ([path, { entryPoint = "" }]) => {
    const name = PAGE_SCRIPT.exec(entryPoint)?.groups?.name?.toLowerCase();
    if (name === undefined || !path.endsWith(".js")) return [];
    const scripts = [path, ...importsOf(path, build.outputs)].map((each) => `${publicPath}assets/${basename(each)}`);
    const links = scripts
      .filter((each) => !html.includes(each))
      .map((each) => `<link rel="modulepreload" crossorigin href="${each}">`);
    const page = join(folder, "pages", `${name}.html`);
    await Bun.write(page, html.replace("</head>", `${links.join("")}</head>`));
    return [page];
  });
  return (await Promise.all(written)).flat();
}

/** Every script that the script at `path` needs before it runs. */
function importsOf(path: string, outputs: Bun.BuildMetafile["outputs"], found = new Set<string>()): Set<string> {
  for (const { path: each, kind } of outputs[path]?.imports ?? []) {
    if (kind !== "import-statement" || found.has(each)) continue;
    found.add(each);
    importsOf(each, outputs, found);
  }
  return found;
}
