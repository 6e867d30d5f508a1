import { devnetChain } from "@dueday/devnet/devnetChain";
import type { TestAccount } from "@dueday/devnet/testAccount";
import type { BrowserContext } from "playwright-core";
import {
  type Address,
  createWalletClient,
  type EIP1193RequestFn,
  type Hex,
  http,
  isHex,
  publicActions,
  toHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";

export type InjectedWallet = {
  name: string;
  address: Address;
  /** Methods that the page has asked for, in order. */
  requests: string[];
  /** Calls of the last batch, in order. */
  batch: readonly { to: Address; data: Hex }[];
  /** URL of the paymaster that the last batch names; null without one. */
  paymasterUrl: string | null;
  /** The owner rejects the next request to connect, to sign or to send. */
  rejectNext(): void;
  /** Whether batches stay pending after they were sent. */
  setPending(isPending: boolean): void;
  /** The chain that the wallet is on; the page can ask it to switch. */
  setChain(chainId: number): void;
  /** The account that it offers to pages which connect from now on, and signs with. */
  setAccount(account: TestAccount): void;
};

export type InjectedWalletOptions = {
  account: TestAccount;
  rpcUrl: string;
  name?: string;
  /** Whether it has EIP-5792: `wallet_sendCalls` and what belongs to it. Default false. */
  batches?: boolean;
  /** Whether it announces itself (EIP-6963). Default true. */
  isAnnounced?: boolean;
  /** Whether it is at `window.ethereum`. Default false. */
  isAtWindow?: boolean;
  /** Whether it has the capability `paymasterService`. Default false. */
  paymasters?: boolean;
};

type Call = { method: string; params?: readonly unknown[] };
type Reply = { result: unknown } | { error: { code: number; message: string } };
type SentTransaction = { to?: Address; data?: Hex; value?: Hex };

const SIGNING = new Set([
  "eth_sendTransaction",
  "wallet_sendCalls",
  "personal_sign",
  "eth_signTypedData_v4",
  "eth_requestAccounts",
]);
const REJECTED = { code: 4001, message: "User rejected the request." };
const UNSUPPORTED = { code: -32601, message: "The method does not exist" };
const NOT_CONNECTED = { code: 4100, message: "The page is not connected" };

let wallets = 0;

/**
 * Puts a wallet into every page of a browser context, as an extension does: announced by EIP-6963 or at `window.ethereum`, signing with the key of `account`
 * in this process. Everything that is not a wallet's own is asked of the node.
 */
export async function injectWallet(context: BrowserContext, options: InjectedWalletOptions): Promise<InjectedWallet> {
  const { account, rpcUrl, name = "Test Wallet", batches = false, paymasters = false } = options;
  const { isAnnounced = true, isAtWindow = false } = options;
  let signer = privateKeyToAccount(account.privateKey);
  const client = createWalletClient({ chain: devnetChain, transport: http(rpcUrl) }).extend(publicActions);
  // Any method of the node, as a wallet passes it on.
  const askNode = client.request as EIP1193RequestFn;
  const sent = new Map<string, Hex[]>();
  const connected = new Set<string>();
  let chainId: number = devnetChain.id;
  let rejects = false;
  let pends = false;
  const wallet: InjectedWallet = {
    name,
    address: signer.address,
    requests: [],
    batch: [],
    paymasterUrl: null,
    rejectNext: () => {
      rejects = true;
    },
    setPending: (isPending) => {
      pends = isPending;
    },
    setChain: (id) => {
      chainId = id;
    },
    setAccount: ({ privateKey }) => {
      signer = privateKeyToAccount(privateKey);
    },
  };

  async function send({ to, data, value }: SentTransaction): Promise<Hex> {
    return client.sendTransaction({ account: signer, to, data, value: value === undefined ? 0n : BigInt(value) });
  }

  const own: Record<string, (params: readonly unknown[], origin: string) => unknown> = {
    eth_requestAccounts: (_, origin) => {
      connected.add(origin);
      return [signer.address];
    },
    eth_accounts: (_, origin) => (connected.has(origin) ? [signer.address] : []),
    eth_chainId: () => toHex(chainId),
    wallet_switchEthereumChain: ([wanted]) => {
      chainId = Number(Object(wanted).chainId);
      return null;
    },
    wallet_revokePermissions: (_, origin) => {
      connected.delete(origin);
      return null;
    },
    personal_sign: ([message]) => signer.signMessage({ message: isHex(message) ? { raw: message } : String(message) }),
    eth_signTypedData_v4: ([, data]) => signer.signTypedData(JSON.parse(String(data))),
    eth_sendTransaction: ([transaction]) => send(Object(transaction)),
    ...(batches && {
      wallet_getCapabilities: () => ({
        [toHex(devnetChain.id)]: { atomic: { status: "supported" }, paymasterService: { supported: paymasters } },
      }),
      wallet_sendCalls: async ([batch]: readonly unknown[]) => {
        const { calls, capabilities }: { calls: { to: Address; data: Hex }[]; capabilities?: unknown } = Object(batch);
        wallet.batch = calls;
        wallet.paymasterUrl = Object(Object(capabilities).paymasterService).url ?? null;
        const hashes: Hex[] = [];
        for (const call of calls) hashes.push(await send(call));
        const id = toHex(crypto.getRandomValues(new Uint8Array(32)));
        sent.set(id, hashes);
        return { id };
      },
      wallet_getCallsStatus: async ([id]: readonly unknown[]) => {
        const hashes = sent.get(String(id)) ?? [];
        const receipts = await Promise.all(
          hashes.map((hash) => askNode({ method: "eth_getTransactionReceipt", params: [hash] })),
        );
        const isMined = !pends && !receipts.includes(null);
        const status = isMined ? 200 : 100;
        return {
          version: "2.0.0",
          id,
          chainId: toHex(devnetChain.id),
          atomic: true,
          status,
          receipts: isMined ? receipts : [],
        };
      },
    }),
  };

  async function answer({ method, params = [] }: Call, origin: string): Promise<Reply> {
    wallet.requests.push(method);
    if (SIGNING.has(method)) {
      const isRejected = rejects;
      rejects = false;
      if (isRejected) return { error: REJECTED };
      if (method !== "eth_requestAccounts" && !connected.has(origin)) return { error: NOT_CONNECTED };
    }
    const handle = own[method];
    try {
      if (handle !== undefined) return { result: await handle(params, origin) };
      if (method.startsWith("wallet_")) return { error: UNSUPPORTED };
      // The node knows which of its methods this is.
      return { result: await (askNode as (call: Call) => Promise<unknown>)({ method, params }) };
    } catch (error) {
      const { code = -32603, message = "failed", data } = Object(error);
      return { error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  if (!isAnnounced && !isAtWindow) return wallet;
  const binding = `askTestWallet${wallets++}`;
  await context.exposeBinding(binding, ({ frame }, call: Call) => answer(call, new URL(frame.url()).origin));
  await context.addInitScript(putProvider, { binding, name, uuid: crypto.randomUUID(), isAnnounced, isAtWindow });
  return wallet;
}

type Place = { binding: string; name: string; uuid: string; isAnnounced: boolean; isAtWindow: boolean };

/** Runs in the page. */
function putProvider({ binding, name, uuid, isAnnounced, isAtWindow }: Place): void {
  type Listener = (value: unknown) => void;
  const page: EventTarget = globalThis as unknown as EventTarget; // a window
  const listeners = new Map<string, Set<Listener>>();
  const emit = (event: string, value: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(value);
  };
  // Put there by `exposeBinding`.
  const ask = Reflect.get(globalThis, binding) as (call: unknown) => Promise<Reply>;
  const provider = {
    async request(call: { method: string; params?: { chainId?: string }[] }) {
      const reply = await ask(JSON.parse(JSON.stringify(call)));
      if ("error" in reply) throw Object.assign(new Error(reply.error.message), reply.error);
      if (call.method === "wallet_switchEthereumChain") emit("chainChanged", call.params?.[0]?.chainId);
      return reply.result;
    },
    on(event: string, listener: Listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      return provider;
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener);
      return provider;
    },
  };
  // Sent by a test: the wallet locks itself, as it does after some minutes.
  page.addEventListener("test-wallet-locks", () => emit("accountsChanged", []));
  if (isAtWindow) Object.assign(page, { ethereum: provider });
  if (!isAnnounced) return;
  const icon =
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><circle cx='.5' cy='.5' r='.5'/></svg>";
  const detail = Object.freeze({
    info: Object.freeze({ uuid, name, icon, rdns: `test.${name.replace(/\W/g, "")}` }),
    provider,
  });
  const announce = () => page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  page.addEventListener("eip6963:requestProvider", announce);
  announce();
}
