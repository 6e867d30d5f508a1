import {
  type Abi,
  type AbiParameter,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  type PrepareEncodeFunctionDataReturnType,
  prepareEncodeFunctionData,
} from "viem";

/** One view call, to be sent alone or with others. `decode` throws for data that is not a result of the function. */
export type ContractRead<T> = { to: Address; data: Hex; decode: (returned: Hex) => T };

type PreparedFunction = PrepareEncodeFunctionDataReturnType;

/** By ABI and name. To hash the signature of a function for each call takes longer than to encode the call. */
const preparedFunctions = new WeakMap<Abi, Map<string, PreparedFunction>>();

/** A view call of `address`, typed by its ABI, which has no two functions of that name. */
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
    data: encodeFunctionData({ ...preparedFunction(call), args: call.args }),
    // decodeFunctionResult answers `unknown` for an unresolved ABI; this is the type that the ABI gives it.
    decode(returned) {
      const value = decodeFunctionResult({ ...call, data: returned });
      if (!fitsOutputs(outputsOf(call.abi, call.functionName), value)) throw new Error("a number is beyond its type");
      return value as ContractFunctionReturnType<abi, "view" | "pure", name, args>;
    },
  };
}

function preparedFunction({ abi, functionName }: { abi: Abi; functionName: string }): PreparedFunction {
  const ofAbi = preparedFunctions.get(abi) ?? new Map<string, PreparedFunction>();
  preparedFunctions.set(abi, ofAbi);
  const prepared = ofAbi.get(functionName) ?? prepareEncodeFunctionData({ abi, functionName });
  ofAbi.set(functionName, prepared);
  return prepared;
}

function outputsOf(abi: Abi, name: string): readonly AbiParameter[] {
  const item = abi.find((each) => each.type === "function" && each.name === name);
  return item?.type === "function" ? item.outputs : [];
}

/** viem reads the last bytes of a word as a small number and does not look at the others. */
function fitsOutputs(outputs: readonly AbiParameter[], value: unknown): boolean {
  const [only] = outputs;
  if (outputs.length === 1 && only !== undefined) return fitsType(only, value);
  return outputs.every((output, index) => fitsType(output, Object(value)[index]));
}

function fitsType(parameter: AbiParameter, value: unknown): boolean {
  const { type } = parameter;
  if (type.endsWith("[]")) {
    const element = { ...parameter, type: type.slice(0, -2) };
    return !holdsNumbers(element) || (Array.isArray(value) && value.every((each) => fitsType(element, each)));
  }
  if ("components" in parameter) {
    return parameter.components.every((each) => fitsType(each, Object(value)[each.name ?? ""]));
  }
  const bits = /^uint(\d+)$/.exec(type)?.[1];
  if (bits === undefined || bits === "256") return true;
  return typeof value === "bigint" ? value < 2n ** BigInt(bits) : Number(value) < 2 ** Number(bits);
}

/** Whether a type contains numbers to check. Where it does not, as in a long list of ids, the values are not walked. */
function holdsNumbers(parameter: AbiParameter): boolean {
  return "components" in parameter ? parameter.components.some(holdsNumbers) : /^uint(?!256)/.test(parameter.type);
}
