import { parseAbi } from "viem";

/** The constructor and the functions of the admin and janitor roles (protocol part 2). The service never calls these. */
export const adminAbi = parseAbi([
  "struct Subscription { bytes32 id; uint256 amount; address provider; address token; bool cancelled; uint8 frequency; uint16 dueDay; }",
  "struct PageStart { bytes32 id; uint256 subscriberIndex; uint256 subscriptionIndex; uint256 frequency; bool initialized; }",

  "constructor(uint256 callerFee, uint256 systemFee, uint256 maxRemits, uint256 cancelLimit, bool allowSystemFee, address admin, address janitor)",

  "function addERC20Contract(address token, uint256 minimum18, uint8 decimals)",
  "function pauseToken(address token, bool pause)",
  "function changeCallerFee(uint256 fee)",
  "function changeSystemFee(uint256 fee)",
  "function systemFeeActivate(bool active)",
  "function changeSysFeeReceiver(address receiver)",
  "function changeMaxRemits(uint256 limit)",
  "function setCancelLimit(uint256 limit)",
  "function setNextUncheckedDay(uint40 day)",
  "function setPageStart(PageStart start)",

  "function cleanupCancelledSubscribers(Subscription subscription)",
  "function cleanUnsubscribeList(bytes32 id)",
]);
