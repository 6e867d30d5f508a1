import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
} from "viem";

/** One view call, ready to be sent alone or with others. `decode` throws where the answer does not fit. */
export type ContractRead<T> = { to: Address; data: Hex; decode: (returned: Hex) => T };

/** A view call of `address`, typed by its ABI. */
export function contractRead<
  const abi extends Abi,
  name extends ContractFunctionName<abi, "view" | "pure">,
  const args extends ContractFunctionArgs<abi, "view" | "pure", name>,
>(parameters: {
  address: Address;
  abi: abi;
  functionName: name;
  args: args;
}): ContractRead<ContractFunctionReturnType<abi, "view" | "pure", name, args>> {
  // The generic types above already bind name and arguments to the ABI; inside they can't be resolved further.
  const call = parameters as unknown as { abi: Abi; functionName: string; args: readonly unknown[] };
  return {
    to: parameters.address,
    data: encodeFunctionData(call),
    // decodeFunctionResult answers `unknown` for an unresolved ABI; the type is what the ABI says it returns.
    decode: (returned) =>
      decodeFunctionResult({ ...call, data: returned }) as ContractFunctionReturnType<abi, "view" | "pure", name, args>,
  };
}
