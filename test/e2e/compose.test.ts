import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testRedis } from "@dueday/test-support/services";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { startProcess, type TestProcess } from "./startProcess";

const ROOT = join(import.meta.dir, "..", "..");

const Texts = Type.Record(Type.String(), Type.String());
const Service = Type.Object({
  command: Type.Array(Type.String()),
  environment: Texts,
  deploy: Type.Optional(Type.Object({ replicas: Type.Integer() })),
});
const names = ["migrate", "api", "worker", "devnet"] as const;
const Compose = Type.Object({
  services: Type.Object({ migrate: Service, api: Service, worker: Service, devnet: Service }),
});

const text = await Bun.file(join(ROOT, "compose.yaml")).text();
const { services } = Value.Parse(Compose, Bun.YAML.parse(text));
const redis = await testRedis();
const databaseUrl = await emptyTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** The command and settings of the container; `others` replace what is outside of it. */
async function run(name: (typeof names)[number], others: Record<string, string>): Promise<TestProcess> {
  const { command, environment } = services[name];
  const [program, path = ""] = command;
  expect(program).toBe("bun");
  const process = await startProcess(path, { env: { ...environment, ...others } });
  cleanUps.push(() => process.dispose());
  return process;
}

function lint(file: string): { code: number | null; output: string } {
  const program = join(ROOT, "node_modules", ".bin", "dclint");
  const { status, stdout, stderr } = spawnSync(program, ["--quiet", file], { encoding: "utf8" });
  return { code: status, output: stdout + stderr };
}

test("compose.yaml fits the schema of the Compose specification, and a file that does not is refused", async () => {
  const { code, output } = lint(join(ROOT, "compose.yaml"));
  expect(output.trim()).toBe("");
  expect(code).toBe(0);
  const folder = await mkdtemp(join(tmpdir(), "dueday-compose-"));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const broken = join(folder, "compose.yaml");
  await Bun.write(broken, text.replace("stop_grace_period:", "stop_grace_time:"));
  expect(lint(broken)).toMatchObject({
    code: 1,
    output: expect.stringContaining("must NOT have additional properties"),
  });
});

describe.if(redis !== null)("the processes of compose.yaml, without containers", () => {
  test("the database is migrated, two workers plan, and two APIs serve the plan of the devnet", async () => {
    const devnet = await run("devnet", { PORT: "0" });
    const [, nodeUrl = "", contract = ""] = await devnet.printed(/devnet on (\S+), contract (0x\w+)/);
    expect(contract).toBe(services.api.environment.CHAIN_31337_CONTRACT ?? "");
    const outside = {
      ...{ HOST: "127.0.0.1", PORT: "0", METRICS_PORT: "0", CHAINS: "31337" },
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis?.startsWith("/") ? `unix://${redis}` : String(redis),
      CHAIN_31337_RPC_URLS: nodeUrl.replace("0.0.0.0", "127.0.0.1"),
    };
    expect(await (await run("migrate", outside)).exited()).toBe(0);
    const started = await Promise.all(
      (["worker", "api"] as const).flatMap((name) => {
        expect(services[name].deploy?.replicas).toBe(2);
        return [run(name, outside), run(name, outside)];
      }),
    );
    const [, , ...apis] = started;
    expect(apis).toHaveLength(2);
    for (const api of apis) {
      const [, url] = await api.printed(/API on (http\S+)/);
      await waitUntil("the plan of a worker", async () => {
        const response = await fetch(`${url}/remit/readiness`);
        return response.ok && (await response.text()).includes('"source":"snapshot"');
      });
    }
    for (const process of started) process.kill("SIGTERM");
    for (const process of started) expect(await process.exited()).toBe(0);
  });
});
