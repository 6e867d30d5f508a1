import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { planId, planToken } from "@dueday/devnet/demoArguments";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { sealKeystore } from "@dueday/test-support/sealKeystore";
import type { Terminal } from "../src/prepare/sendPrepared";
import { runCommand } from "../src/runCommand";

export const PASSWORD = "correct horse";

type Given = { service?: string; terminal?: Terminal };
export type SigningDemo = Awaited<ReturnType<typeof startSigningDemo>>;

/** The demo with the keystores of a subscriber of its plan `id`, of somebody who can join it, and of its provider. */
export async function startSigningDemo() {
  const demo = await startDemoApi();
  const { api, devnet } = demo;
  const folder = await mkdtemp(join(tmpdir(), "dueday-cli-"));
  const plan = demoPlans.find(({ key }) => key === "reader");
  const accounts = {
    member: testAccount(ACCOUNT_INDEX.firstSubscriber + (plan?.subscribers[0] ?? 0)),
    joiner: testAccount(ACCOUNT_INDEX.firstSubscriber),
    provider: testAccount(ACCOUNT_INDEX.firstProvider + (plan?.provider ?? 0)),
  };
  const passwordFile = await writeSecret("password", `${PASSWORD}\n`);
  const keystores = {
    member: await writeSecret("member", sealKeystore(accounts.member.privateKey, PASSWORD)),
    joiner: await writeSecret("joiner", sealKeystore(accounts.joiner.privateKey, PASSWORD)),
    provider: await writeSecret("provider", sealKeystore(accounts.provider.privateKey, PASSWORD)),
  };

  async function writeSecret(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await Bun.write(path, text);
    await chmod(path, 0o600);
    return path;
  }

  /** Options of signing with which the command asks for the password on the terminal. */
  const signing = (who: keyof typeof accounts) => {
    return ["--send", "--keystore", keystores[who], "--rpc", devnet.url, "--contract", devnet.contract];
  };

  return {
    ...demo,
    accounts,
    keystores,
    passwordFile,
    id: planId(devnet),
    token: await planToken(devnet),
    /** Runs the command against this service, or another one. */
    async run(args: readonly string[], { service = api.url, terminal }: Given = {}) {
      let [out, errors] = ["", ""];
      const code = await runCommand(args, {
        env: { DUEDAY_API: service },
        write: (text) => {
          out += text;
        },
        writeError: (text) => {
          errors += text;
        },
        terminal,
      });
      return { code, out, errors };
    },
    signing,
    /** The same with the password in a file, as where no person is there. */
    sending: (who: keyof typeof accounts) => [...signing(who), "--password-file", passwordFile],
    nonceOf: (who: keyof typeof accounts) => devnet.client.getTransactionCount({ address: accounts[who].address }),
    async stop() {
      await demo.stop();
      await rm(folder, { recursive: true });
    },
  };
}
