import { parseAbi } from "viem";

/** Functions of the test token beyond ERC-20. Any account may call them. */
export const testTokenAbi = parseAbi([
  "constructor(string name, string symbol, uint8 decimals)",
  "function mint(address to, uint256 value)",
  "function burn(address from, uint256 value)",
  "function setBlocked(address account, bool blocked)",
  "function blocked(address account) view returns (bool)",
  "function fund(address owner, address spender, uint256 balance, uint256 allowed)",
  "function fundRange(address first, uint256 count, address spender, uint256 balance, uint256 allowed)",
]);
