export type Hex = `0x${string}`;

/**
 * What is on the chain at the start: `demo`, a small economy with a backlog of seven days, or `empty`, the protocol with two tokens
 * and nothing else.
 */
export type Scenario = "demo" | "empty";

/** A funded account. Its key is public: use it on no other chain. */
export type Wallet = { address: Hex; privateKey: Hex };

/** An approved token. Anybody may call its `mint(address,uint256)` and `burn(address,uint256)`. */
export type Token = { address: Hex; name: string; symbol: string; decimals: number };

/** What `npx @dueday/testkit --json`, and the process of the service (`main.ts`), print as one line of JSON when the stack can be used. */
export type StackFacts = {
  /** The service. */
  url: string;
  /** The chain's node (anvil), over HTTP and WebSocket. It signs for all wallets. */
  rpcUrl: string;
  chainId: number;
  /** The protocol. */
  contract: Hex;
  tokens: readonly Token[];
  /** Subscribers have tokens. In `empty`, they have approved nothing. */
  wallets: { readonly provider: Wallet; readonly subscribers: readonly Wallet[]; readonly keeper: Wallet };
  /** Ids by the scenario's own names, such as `reader`; none in `empty`. */
  subscriptions: Readonly<Record<string, Hex>>;
};
