/** Where the key that signs comes from. */
export type KeySource =
  | { kind: "environment"; privateKey: string }
  | { kind: "file"; path: string }
  | { kind: "keystore"; path: string; passwordFile: string };
