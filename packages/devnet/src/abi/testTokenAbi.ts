import { parseAbi } from "viem";

/** What the test token has beyond ERC-20. Anybody may call it. */
export const testTokenAbi = parseAbi([
  "constructor(string name, string symbol, uint8 decimals)",
  "function mint(address to, uint256 value)",
  "function burn(address from, uint256 value)",
  "function setBlocked(address account, bool blocked)",
  "function blocked(address account) view returns (bool)",
  "function fund(address owner, address spender, uint256 balance, uint256 allowed)",
  "function fundRange(address first, uint256 count, address spender, uint256 balance, uint256 allowed)",
]);
