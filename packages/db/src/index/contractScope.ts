/** Whose rows are meant: the columns every table begins with. */
export type ContractScope = { chainId: number; contract: string };
