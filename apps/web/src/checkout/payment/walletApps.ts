/** Wallets whose app opens a page in its own browser and injects its provider there. `open` makes the link. */
export const walletApps: readonly { name: string; open(page: string): string }[] = [
  // MetaMask takes the address as it is, without its scheme.
  { name: "MetaMask", open: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//, "")}` },
  { name: "Base App", open: (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}` },
  {
    name: "Trust Wallet",
    open: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
  },
  {
    name: "OKX Wallet",
    open: (page) => {
      const link = `okx://wallet/dapp/url?dappUrl=${encodeURIComponent(page)}`;
      return `https://web3.okx.com/download?deeplink=${encodeURIComponent(link)}`;
    },
  },
];
