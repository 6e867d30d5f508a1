import { expect, test } from "bun:test";
import { decodeFunctionData, getAddress, maxUint256, toFunctionSelector } from "viem";
import { erc20Abi } from "../abi/erc20";
import { protocolAbi } from "../abi/protocol";
import { encodeApprove } from "./encodeApprove";
import { encodeCancelSubscription } from "./encodeCancelSubscription";
import { encodeCreateSubscription } from "./encodeCreateSubscription";
import { encodeEditDetails } from "./encodeEditDetails";
import { encodeEditProvDetails } from "./encodeEditProvDetails";
import { encodeRemit } from "./encodeRemit";
import { encodeSubscribe } from "./encodeSubscribe";
import { encodeUnsubscribe } from "./encodeUnsubscribe";
import { encodeUnsubscribeByProvider } from "./encodeUnsubscribeByProvider";

const address = getAddress(`0x${"11".repeat(20)}`);
const subscription = {
  id: `0x${"ab".repeat(32)}`,
  amount: 5n * 10n ** 18n,
  provider: address,
  token: getAddress(`0x${"22".repeat(20)}`),
  cancelled: false,
  frequency: 1,
  dueDay: 28,
} as const;
const details = { url: "https://example.com/ü", description: "" };
const profile = { description: "d", company: "c", url: "u", domain: "o", email: "e", misc: "m" };
const struct = "(bytes32,uint256,address,address,bool,uint8,uint16)";

const writes = [
  ["remit()", encodeRemit(), undefined],
  [`subscribe(${struct})`, encodeSubscribe(subscription), [subscription]],
  [`unsubscribe(${struct})`, encodeUnsubscribe(subscription), [subscription]],
  [
    `unsubscribeByProvider(${struct},address)`,
    encodeUnsubscribeByProvider(subscription, address),
    [subscription, address],
  ],
  [`cancelSubscription(${struct})`, encodeCancelSubscription(subscription), [subscription]],
  ["editDetails((string,string),bytes32)", encodeEditDetails(details, subscription.id), [details, subscription.id]],
  ["editProvDetails((string,string,string,string,string,string))", encodeEditProvDetails(profile), [profile]],
  [
    "createSubscription(uint256,address,(string,string),uint8,uint16)",
    encodeCreateSubscription({ amount: 7n, token: address, details, frequency: 3, dueDay: 365 }),
    [7n, address, details, 3, 365],
  ],
] as const;

test.each(writes)("calldata of %s has the function's selector and carries its arguments", (signature, data, args) => {
  expect(data.slice(0, 10)).toBe(toFunctionSelector(signature));
  const decoded: unknown = decodeFunctionData({ abi: protocolAbi, data }).args;
  expect(decoded).toEqual(args);
});

test("remit() is the bare selector", () => {
  expect(encodeRemit()).toHaveLength(10);
});

test("approve carries the spender and the value in token units", () => {
  const decoded = decodeFunctionData({ abi: erc20Abi, data: encodeApprove(address, maxUint256) });
  expect(decoded).toEqual({ functionName: "approve", args: [address, maxUint256] });
});
