import type { AppConfig } from "./appConfig";

/**
 * The page loads everything from its own origin and has no inline script or style. Its scripts may ask this origin, and the nodes that
 * the operator offers to wallets; images are its own or in the page, as the icons of wallets are.
 */
export function contentPolicy({ chains }: Pick<AppConfig, "chains">): string {
  const nodes = chains.flatMap(({ publicRpcUrl }) => (publicRpcUrl === null ? [] : [new URL(publicRpcUrl).origin]));
  const directives = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "connect-src": ["'self'", ...new Set(nodes)],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
    "require-trusted-types-for": ["'script'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}
