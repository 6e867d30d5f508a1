import { afterAll, expect, test } from "bun:test";
import { createCipheriv, scryptSync } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decryptKeystore } from "@dueday/config/decryptKeystore";
import { getAddress, hexToBytes, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { readKey } from "./readKey";

const folder = await mkdtemp(join(tmpdir(), "dueday-key-"));
afterAll(() => rm(folder, { recursive: true }));

/** Key and password of the examples in the definition of Web3 Secret Storage. */
const KEY = "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";
const PASSWORD = "testpassword";
const ADDRESS = getAddress("0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b");

const keystores = {
  "the scrypt example of the definition, with the work factor of geth": {
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
      ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
      kdf: "scrypt",
      kdfparams: {
        dklen: 32,
        n: 262_144,
        r: 1,
        p: 8,
        salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
      },
      mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
    id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    version: 3,
  },
  "the pbkdf2 example of the definition": {
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
      ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
      kdf: "pbkdf2",
      kdfparams: {
        c: 262_144,
        dklen: 32,
        prf: "hmac-sha256",
        salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
      },
      mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
    },
    id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    version: 3,
  },
  "one that cast 1.7.1 wrote (cast wallet import)": {
    crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: "6f094618426c1144be02ac645797e016" },
      ciphertext: "b2102fc01edb79722809afa9ecff5637fc35135977b37bb35f43843549076929",
      kdf: "scrypt",
      kdfparams: {
        dklen: 32,
        n: 8_192,
        r: 8,
        p: 1,
        salt: "3cb9a62fa7be940456aa99ddd5dc904109fd6c1b85acd23803bd7595a6d78460",
      },
      mac: "1c80b5dfff3ce1759700ab2a0e599e750c893055b2f8ecf96c28b502feb3708a",
    },
    id: "dddd9b14-f3bf-4d85-8681-10e174eef33c",
    version: 3,
  },
};
const cast = keystores["one that cast 1.7.1 wrote (cast wallet import)"];

async function writeSecret(name: string, content: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await Bun.write(path, content);
  await chmod(path, mode);
  return path;
}

/** geth's work factor takes seconds in JavaScript on a busy machine. */
const SLOW_MS = 120_000;

test.each(Object.entries(keystores))(
  "%s opens with its password",
  (_, keystore) => {
    expect(decryptKeystore(JSON.stringify(keystore), PASSWORD)).toBe(KEY);
  },
  SLOW_MS,
);

/** A keystore in the form of geth, with its standard work factor, made by the runtime's own scrypt. */
function sealLikeGeth(): string {
  const [salt, iv] = [Buffer.alloc(32, 0x5e), Buffer.alloc(16, 0x17)];
  const derived = scryptSync(PASSWORD, salt, 32, { N: 262_144, r: 8, p: 1, maxmem: 2 ** 29 });
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(hexToBytes(KEY)), cipher.final()]);
  const mac = keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2);
  const kdfparams = { dklen: 32, n: 262_144, p: 1, r: 8, salt: salt.toString("hex") };
  const cipherparams = { iv: iv.toString("hex") };
  const crypto = { cipher: "aes-128-ctr", ciphertext: ciphertext.toString("hex"), cipherparams };
  const address = ADDRESS.slice(2).toLowerCase();
  return JSON.stringify({ address, crypto: { ...crypto, kdf: "scrypt", kdfparams, mac }, id: cast.id, version: 3 });
}

test(
  "a keystore in the form of geth, with its standard work factor, opens",
  () => {
    expect(decryptKeystore(sealLikeGeth(), PASSWORD)).toBe(KEY);
  },
  SLOW_MS,
);

test("another password opens nothing", () => {
  const problem = expect.stringContaining("password");
  expect(decryptKeystore(JSON.stringify(cast), `${PASSWORD} `)).toEqual({ problem });
});

test.each([
  ["no JSON", "not json"],
  ["another version", JSON.stringify({ ...cast, version: 1 })],
  ["another cipher", JSON.stringify({ ...cast, crypto: { ...cast.crypto, cipher: "aes-256-gcm" } })],
  [
    "work without end",
    JSON.stringify({ ...cast, crypto: { ...cast.crypto, kdfparams: { ...cast.crypto.kdfparams, n: 2 ** 30 } } }),
  ],
  [
    "an impossible n",
    JSON.stringify({ ...cast, crypto: { ...cast.crypto, kdfparams: { ...cast.crypto.kdfparams, n: 8_191 } } }),
  ],
  ["a short ciphertext", JSON.stringify({ ...cast, crypto: { ...cast.crypto, ciphertext: "00" } })],
])("a keystore with %s is refused", (_, text) => {
  expect(decryptKeystore(text, PASSWORD)).toEqual({ problem: expect.any(String) });
});

test("a key comes from the environment, from a file of mode 600, or from a keystore with a password file", async () => {
  const path = await writeSecret("key", `${KEY}\n`);
  const keystore = await writeSecret("keystore", JSON.stringify(cast));
  const passwordFile = await writeSecret("password", `${PASSWORD}\n`);
  for (const source of [
    { kind: "environment", privateKey: KEY },
    { kind: "file", path },
    { kind: "keystore", path: keystore, passwordFile },
  ] as const) {
    const read = await readKey(source);
    expect(read).toMatchObject({ account: { address: ADDRESS } });
    expect("secrets" in read && read.secrets).toContain(KEY.slice(2));
  }
});

test.each([0o644, 0o640, 0o604, 0o666, 0o777])("a key file of mode %o is refused", async (mode) => {
  const path = await writeSecret(`mode-${mode}`, KEY, mode);
  const refused = { setting: "key.file", problem: expect.stringContaining("chmod 600") };
  expect(await readKey({ kind: "file", path })).toEqual(refused);
  const passwordFile = await writeSecret("right", PASSWORD);
  const keystore = await readKey({ kind: "keystore", path, passwordFile });
  expect(keystore).toEqual({ ...refused, setting: "key.keystore" });
});

test.each([
  ["zero", `0x${"00".repeat(32)}`],
  ["beyond the curve", `0x${"ff".repeat(32)}`],
  ["too short", "0x1234"],
])("a key that is %s is refused without being repeated", async (_, privateKey) => {
  const read = await readKey({ kind: "environment", privateKey });
  expect(read).toMatchObject({ setting: "KEEPER_PRIVATE_KEY" });
  expect(JSON.stringify(read)).not.toContain(privateKey.slice(2));
});

test("what is read never shows the key when it is printed", async () => {
  const read = await readKey({ kind: "environment", privateKey: KEY });
  const { account } = read as Extract<typeof read, { account: unknown }>; // the key above is valid
  expect(account.address).toBe(privateKeyToAccount(KEY).address);
  const printed = [JSON.stringify(account), Bun.inspect(account, { depth: 9 }), String(account)].join("\n");
  expect(printed).not.toContain(KEY.slice(2));
});
