/** A sentence for each custom error of a token that is decoded by its name. */
export const tokenErrors = {
  ERC20InsufficientBalance: "The wallet's token balance is too low for this transfer.",
  ERC20InsufficientAllowance:
    "The wallet's allowance is too low for this transfer; approve the protocol contract first.",
  ERC20InvalidSender: "The token refuses transfers from this address.",
  ERC20InvalidReceiver: "The token refuses transfers to this address.",
  ERC20InvalidApprover: "The token refuses approvals by this address.",
  ERC20InvalidSpender: "The token refuses approvals for this contract.",
  SafeERC20FailedOperation: "The token's transfer failed.",
} as const;
