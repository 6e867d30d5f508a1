import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";

const OPS = join(import.meta.dir, "..", "..", "ops");
const UNIT = "dueday-keeper.service";
/** In tenths: "1.3 OK" is what a service that needs the network can reach. */
const MOST_EXPOSURE = 15;

const promtool = ensureProgram(programs.promtool);
const systemdAnalyze = ensureProgram(programs.systemdAnalyze);
const folder = await mkdtemp(join(tmpdir(), "dueday-packaging-"));
afterAll(() => rm(folder, { recursive: true }));

function run(program: string, args: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: OPS, encoding: "utf8" });
  return { code: status, output: stdout + stderr };
}

describe.if(promtool !== null)("Prometheus", () => {
  const check = (...args: string[]) => run(promtool ?? "", args);

  test("accepts its settings and the alerts, and would refuse an expression that is wrong", async () => {
    expect(check("check", "config", "prometheus.yaml")).toMatchObject({ code: 0 });
    const rules = await Bun.file(join(OPS, "alerts.yaml")).text();
    const count = rules.match(/- alert:/g)?.length;
    expect(check("check", "rules", "alerts.yaml").output).toContain(`${count} rules found`);
    const broken = join(folder, "alerts.yaml");
    await Bun.write(
      broken,
      rules.replace("max by (chain) (dueday_keeper_stopped)", "max by (chain (dueday_keeper_stopped)"),
    );
    expect(check("check", "rules", broken)).toMatchObject({ code: 1 });
  });

  test("raises each alert of the keeper for its fault and its chain, and none for a keeper that works", async () => {
    expect(check("test", "rules", "alerts.test.yaml")).toMatchObject({ code: 0 });
    const alerts = await Bun.file(join(OPS, "alerts.yaml")).text();
    const tests = await Bun.file(join(OPS, "alerts.test.yaml")).text();
    const names = [...alerts.matchAll(/- alert: (DuedayKeeper\w+)/g)].map(([, name = ""]) => name);
    expect(names.filter((name) => tests.split(`alertname: ${name}`).length !== 3)).toEqual([]);
  });
});

describe.if(systemdAnalyze !== null)("the systemd unit", () => {
  const analyze = (...args: string[]) => run(systemdAnalyze ?? "", args);

  /** The unit with a program that exists here. */
  async function write(change: (unit: string) => string): Promise<string> {
    const unit = await Bun.file(join(OPS, UNIT)).text();
    const path = join(folder, UNIT);
    await Bun.write(path, change(unit.replace("/usr/local/bin/keeper", "/bin/true")));
    return path;
  }

  test("is accepted without a warning; a misspelled line would be one", async () => {
    expect(analyze("verify", "--man=no", await write((unit) => unit))).toEqual({ code: 0, output: "" });
    const { output } = analyze(
      "verify",
      "--man=no",
      await write((unit) => unit.replace("ProtectClock", "ProtectClok")),
    );
    expect(output).toMatch(/Unknown key .*'ProtectClok'/);
  });

  test("exposes no more of the machine than a program on the network needs", async () => {
    const security = (path: string) => analyze("security", "--offline=true", `--threshold=${MOST_EXPOSURE}`, path);
    expect(security(await write((unit) => unit))).toMatchObject({ code: 0 });
    expect(security(await write((unit) => unit.replaceAll(/^SystemCallFilter=.*$/gm, ""))).code).not.toBe(0);
  });

  test("writes no core dump, which would contain the key", async () => {
    expect(await Bun.file(join(OPS, UNIT)).text()).toContain("\nLimitCORE=0\n");
  });
});
