import { send } from "@dueday/devnet/send";
import type { Devnet } from "@dueday/devnet/startDevnet";
import {
  type Address,
  createPublicClient,
  custom,
  decodeDeployData,
  deploylessCallViaBytecodeBytecode,
  type Hex,
  parseAbi,
} from "viem";

/** Where Multicall3 is on nearly every chain; anvil has none. */
export const MULTICALL: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** Puts the real Multicall3 on a devnet. Its code is in viem, but only inside the request of a deployless multicall. */
export async function deployMulticall({ client }: Devnet): Promise<void> {
  const [from] = await client.request({ method: "eth_accounts" });
  if (from === undefined) throw new Error("the node has no accounts");
  const receipt = await send(client, { from, data: await creationCode() });
  const code = await client.getCode({ address: receipt.contractAddress ?? MULTICALL });
  if (code === undefined) throw new Error("Multicall3 was not deployed");
  await client.setCode({ address: MULTICALL, bytecode: code });
}

async function creationCode(): Promise<Hex> {
  const sent: Hex[] = [];
  const asking = createPublicClient({
    transport: custom(
      {
        async request({ params }: { params: [{ data: Hex }] }) {
          sent.push(params[0].data);
          throw new Error("the request is all that is wanted");
        },
      },
      { retryCount: 0 },
    ),
  });
  const abi = parseAbi(["function anything() view returns (uint256)"]);
  await asking.multicall({ contracts: [{ address: MULTICALL, abi, functionName: "anything" }], deployless: true });
  const { args } = decodeDeployData({
    abi: parseAbi(["constructor(bytes code, bytes data)"]),
    bytecode: deploylessCallViaBytecodeBytecode,
    data: sent[0] ?? "0x",
  });
  return args[0];
}
