import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "@dueday/sdk/tools/runProgram";
import { folder, ROOT, TIMEOUT_MS, tarballs } from "./packed";

setDefaultTimeout(TIMEOUT_MS);

test.each(Object.keys(tarballs))("the README of %s installs it from a clone, in an empty project", async (name) => {
  const readme = await readFile(join(ROOT, "packages", name.replace("@dueday/", ""), "README.md"), "utf8");
  const [, build, install = ""] = /\n {4}(bun run release) .*\n {4}(npm install .*)\n/.exec(readme) ?? [];
  // `packed` has done what the first command does.
  expect(build).toBe("bun run release");
  const project = join(folder, `readme-${name.replace("/", "-")}`);
  await mkdir(project, { recursive: true });
  const command = install.replace("<clone>/build", folder);
  expect(command).toContain(folder);
  // A command that installs for the whole machine installs into a folder of the project.
  const prefix = join(project, "global");
  await runProgram(
    [...command.split(" "), "--no-audit", "--no-fund", `--prefix=${command.includes("--global") ? prefix : project}`],
    project,
  );
  const modules = join(command.includes("--global") ? join(prefix, "lib") : project, "node_modules");
  expect((await Bun.file(join(modules, name, "package.json")).json()).name).toBe(name);
});
