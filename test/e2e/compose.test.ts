import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testRedis } from "@dueday/test-support/services";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { makeImage } from "./makeImage";
import { startProcess, type TestProcess } from "./startProcess";

const ROOT = join(import.meta.dir, "..", "..");
/** In an image everything is built first, contracts too: over a minute beside other tests. */
const TIMEOUT_MS = 300_000;

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

/** As `1.2.3`, `v1.2.3`, `1.2` of PostgreSQL, and each with the variant of a system. */
const EXACT_VERSION = /^[a-z/]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/;
const Strings = Type.Optional(Type.Array(Type.String()));
const Container = Type.Object({
  image: Type.String(),
  build: Type.Optional(Type.Unknown()),
  user: Type.Optional(Type.String()),
  read_only: Type.Optional(Type.Boolean()),
  cap_drop: Strings,
  cap_add: Strings,
  security_opt: Strings,
  privileged: Type.Optional(Type.Boolean()),
  network_mode: Type.Optional(Type.String()),
  volumes: Strings,
  ports: Strings,
});
type Container = Static<typeof Container>;
const Containers = Type.Object({ services: Type.Record(Type.String(), Container) });
const Root = Type.Object({ workspaces: Type.Object({ packages: Type.Array(Type.String()) }) });
const Range = Type.Object({ subnet: Type.String(), gateway: Type.String() });
const Networks = Type.Object({
  networks: Type.Object({ inside: Type.Object({ ipam: Type.Object({ config: Type.Tuple([Range]) }) }) }),
});

const text = await Bun.file(join(ROOT, "compose.yaml")).text();
const { services } = Value.Parse(Compose, Bun.YAML.parse(text));
const dockerfile = await Bun.file(join(ROOT, "Dockerfile")).text();
const redis = await testRedis();
const databaseUrl = await emptyTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

/** The folder /app of the image, and the one where its default command keeps its data. */
const image = await makeFolder("image");
const dataDir = await makeFolder("data");
await makeImage(image);

async function makeFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `dueday-${name}-`));
  cleanUps.push(() => rm(folder, { recursive: true }));
  return folder;
}

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** The command and settings of the container; `others` replace what is outside of it. */
async function run(name: (typeof names)[number], others: Record<string, string>): Promise<TestProcess> {
  const { command, environment } = services[name];
  const [program, path = ""] = command;
  expect(program).toBe("bun");
  const process = await startProcess(path, { root: image, env: { ...environment, ...others } });
  cleanUps.push(() => process.dispose());
  return process;
}

/** What the Dockerfile builds after the packages are installed. */
async function buildImage(): Promise<void> {
  const scripts = [...dockerfile.matchAll(/bun (apps\/(?:web|api)\/tools\/build\.ts)/g)].map(
    ([, script = ""]) => script,
  );
  expect(scripts).toEqual(["apps/web/tools/build.ts", "apps/api/tools/build.ts"]);
  for (const script of scripts) {
    const build = await startProcess(script, { root: image });
    expect(await build.exited()).toBe(0);
    await build.dispose();
  }
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
  const folder = await makeFolder("compose");
  const broken = join(folder, "compose.yaml");
  await Bun.write(broken, text.replace("stop_grace_period:", "stop_grace_time:"));
  expect(lint(broken)).toMatchObject({
    code: 1,
    output: expect.stringContaining("must NOT have additional properties"),
  });
});

describe("containers", () => {
  const { services: all } = Value.Parse(Containers, Bun.YAML.parse(text));

  /** What is not hardened about a service, in words. */
  function weaknesses(name: string, service: Container): string[] {
    const { image, build, user, read_only: readOnly, cap_drop: dropped, security_opt: options } = service;
    const { volumes = [], ports = [] } = service;
    const findings = {
      "has no exact version": build === undefined && !EXACT_VERSION.test(image),
      "may run as root": build === undefined && ["", "0", "root"].includes((user ?? "").replace(/:.*/, "")),
      "overrides the user of its image": build !== undefined && user !== undefined,
      "has a root file system that can be written": readOnly !== true,
      "has capabilities": !dropped?.includes("ALL") || service.cap_add !== undefined,
      "may gain privileges": !options?.includes("no-new-privileges:true") || service.privileged !== undefined,
      "sees the host": ["network_mode", "pid", "ipc", "devices"].some((key) => key in service),
      "mounts a file of the host that can be written": volumes.some(
        (each) => /^[./~]/.test(each) && !each.endsWith(":ro"),
      ),
      "publishes a port beyond this machine": ports.some((each) => !each.startsWith("127.0.0.1:")),
    };
    return Object.entries(findings).flatMap(([finding, applies]) => (applies ? [`${name} ${finding}`] : []));
  }

  test("run as a user other than root, on a read-only root, without capabilities, from images of exact versions", () => {
    expect(Object.keys(all)).toContain("proxy");
    expect(Object.entries(all).flatMap(([name, service]) => weaknesses(name, service))).toEqual([]);
  });

  test("each weakness is found", () => {
    const weak: Container = {
      image: "nginx:latest",
      user: "0:0",
      volumes: ["/:/host"],
      ports: ["80:80"],
      network_mode: "host",
    };
    expect(weaknesses("weak", weak)).toHaveLength(8);
    expect(weaknesses("own", { image: "own", build: ".", user: "root" })).toContain(
      "own overrides the user of its image",
    );
  });

  test("of this repository are built from exact versions and end as a user with a number other than 0", () => {
    const stages = dockerfile.split(/^(?=FROM )/m).slice(1);
    expect(stages.map((stage) => / AS (\S+)$/m.exec(stage)?.[1])).toEqual(["keeper-build", "keeper", "service"]);
    for (const stage of stages) expect(stage).toMatch(/^FROM (?:oven\/bun:\d+\.\d+\.\d+|debian:\d+\.\d+-slim) AS /);
    // The first stage is thrown away.
    for (const stage of stages.slice(1)) expect(stage.match(/^USER .*$/gm)?.at(-1)).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
    expect(
      dockerfile.match(
        /bun install --frozen-lockfile --production --filter '\.\/apps\/\*' --filter '\.\/packages\/\*'/g,
      ),
    ).toHaveLength(2);
  });

  test("have no tests, and the manifest of every workspace, which the lock file names", async () => {
    const files = [...new Bun.Glob("**/*").scanSync({ cwd: image, dot: true, followSymlinks: false })];
    expect(files).toContain("apps/api/src/main.ts");
    expect(files.filter((path) => /\.test\.|(^|\/)(test|__snapshots__)\//.test(path))).toEqual([
      "test/support/package.json",
    ]);
    const { workspaces } = Value.Parse(Root, await Bun.file(join(ROOT, "package.json")).json());
    const manifests = workspaces.packages.flatMap((each) => [...new Bun.Glob(`${each}/package.json`).scanSync(ROOT)]);
    expect(manifests.length).toBeGreaterThan(workspaces.packages.length);
    expect(files).toEqual(expect.arrayContaining(manifests));
  });

  test("know each other's addresses: the proxy trusts the gateway of the network, the APIs trust the proxy", async () => {
    const { networks } = Value.Parse(Networks, Bun.YAML.parse(text));
    const [range] = networks.inside.ipam.config;
    expect(await Bun.file(join(ROOT, "ops", "proxies-in-front.conf")).text()).toContain(
      `set_real_ip_from ${range.gateway};`,
    );
    expect(services.api.environment.TRUSTED_PROXIES).toBe(range.subnet);
  });
});

describe.if(redis !== null)("the processes of compose.yaml, without containers", () => {
  test(
    "the database is migrated, two workers plan, two APIs serve the plan of the devnet, and the default command serves",
    async () => {
      const devnet = await run("devnet", { PORT: "0" });
      const [, nodeUrl = "", contract = ""] = await devnet.printed(/devnet on (\S+), contract (0x\w+)/);
      expect(contract).toBe(services.api.environment.CHAIN_31337_CONTRACT ?? "");
      const outside = {
        HOST: "127.0.0.1",
        PORT: "0",
        METRICS_PORT: "0",
        CHAINS: "31337",
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis?.startsWith("/") ? `unix://${redis}` : String(redis),
        CHAIN_31337_RPC_URLS: nodeUrl.replace("0.0.0.0", "127.0.0.1"),
      };
      expect(await (await run("migrate", outside)).exited()).toBe(0);
      await buildImage();
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

      const [, defaultPath = ""] = /^CMD \["bun", "(.+)"\]$/m.exec(dockerfile) ?? [];
      const { DATABASE_URL: _, REDIS_URL: __, ...chain } = outside;
      const env = { ...chain, CHAIN_31337_CONTRACT: contract, DATA_DIR: dataDir };
      const service = await startProcess(defaultPath, { env, root: image });
      cleanUps.push(() => service.dispose());
      await service.printed(/Dueday on http\S+/);
      service.kill("SIGTERM");
      expect(await service.exited()).toBe(0);
    },
    TIMEOUT_MS,
  );
});
