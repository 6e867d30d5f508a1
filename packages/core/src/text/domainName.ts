const MOST_LENGTH = 253;
/** Prefix of the name that is looked up for a domain: the whole name must not be longer than DNS allows. */
const PREFIX_LENGTH = "_dueday.".length;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The domain that a provider's profile names, as DNS has it: lower case, punycode where it is not ASCII. Null for any other text: a URL, a path,
 * an address, a name without a dot.
 */
export function domainName(text: string): string | null {
  const given = text.trim();
  if (given.length > MOST_LENGTH || /[\s/\\@:?#%[\]]/.test(given)) return null;
  let host: string;
  try {
    host = new URL(`https://${given}`).hostname;
  } catch {
    // Not a host name.
    return null;
  }
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  const labels = name.split(".");
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label));
  // The last label of an IPv4 address is a number, that of a domain is not.
  if (!isName || /^\d+$/.test(labels.at(-1) ?? "") || name.length + PREFIX_LENGTH > MOST_LENGTH) return null;
  return name;
}
