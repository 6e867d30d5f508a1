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

/** One view call, to be sent alone or with others. `decode` throws for data that is not a result of the function. */
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
    // decodeFunctionResult answers `unknown` for an unresolved ABI; this is the type that the ABI gives it.
    decode: (returned) =>
      decodeFunctionResult({ ...call, data: returned }) as ContractFunctionReturnType<abi, "view" | "pure", name, args>,
  };
}
