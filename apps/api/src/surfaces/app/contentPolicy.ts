import type { AppConfig } from "./appConfig";

/**
 * The policy of a page; `frameOrigins` are the origins whose pages may show it in a frame. The page loads everything from its own origin
 * and has no inline script or style. Its scripts may send requests to its own origin, and to the nodes that the operator offers to wallets.
 * Images are from its own origin or data URLs, as the icons of wallets are.
 */
export function contentPolicy({ chains }: Pick<AppConfig, "chains">, frameOrigins: readonly string[] = []): string {
  const nodes = chains.flatMap(({ publicRpcUrl }) => (publicRpcUrl === null ? [] : [new URL(publicRpcUrl).origin]));
  const directives = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "connect-src": ["'self'", ...new Set(nodes)],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": frameOrigins.length === 0 ? ["'none'"] : frameOrigins,
    "require-trusted-types-for": ["'script'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}
