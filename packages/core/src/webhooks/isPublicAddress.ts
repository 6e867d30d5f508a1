import ipaddr from "ipaddr.js";

/** The range of all global IPv6 addresses that are assigned today; addresses outside it are special, mapped or translated to IPv4. */
const GLOBAL_V6 = ipaddr.parseCIDR("2000::/3");

/** Addresses in a public range that lead to a host of the cloud provider: Azure's metadata and agent service. */
const METADATA = ["168.63.129.16"];

/** Whether an IP address belongs to a host on the public internet. Loopback, private, link-local, metadata, reserved and tunnel ranges do not. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast" || METADATA.includes(address.toString())) return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_V6);
}

/** Whether `text` is a loopback address: one that leads to this machine. */
export function isLoopbackAddress(text: string): boolean {
  return ipaddr.isValid(text) && ipaddr.parse(text).range() === "loopback";
}
