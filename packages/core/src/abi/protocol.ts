import { parseAbi } from "viem";

/** What the service reads from and writes to the protocol contract (protocol parts 1 and 2), without the admin roles. */
export const protocolAbi = parseAbi([
  "struct Subscription { bytes32 id; uint256 amount; address provider; address token; bool cancelled; uint8 frequency; uint16 dueDay; }",
  "struct SubView { Subscription subscription; uint8 status; uint256 totalSubscribers; }",
  "struct SubIndex { bytes32 id; uint16 dueDay; uint8 frequency; uint8 status; }",
  "struct Account { address accountAddress; SubIndex[] subscriptions; SubIndex[] provSubs; }",
  "struct SubscriberView { address subscriber; uint256 feeBalance; }",
  "struct Details { string url; string description; }",
  "struct ProviderDetails { string description; string company; string url; string domain; string email; string misc; }",

  "function nextUncheckedDay() view returns (uint40)",
  "function callerFee() view returns (uint256)",
  "function systemFee() view returns (uint256)",
  "function maxRemits() view returns (uint256)",
  "function cancelLimit() view returns (uint256)",
  "function getTotalSubscribers() view returns (uint256)",
  "function idSubMap(bytes32) view returns (bytes32 id, uint256 amount, address provider, address token, bool cancelled, uint8 frequency, uint16 dueDay)",
  "function approvedERC20(address) view returns (address tokenAddress, uint8 decimals, bool paused, uint256 minimum)",
  "function feeBalance(bytes32 id, address subscriber) view returns (uint256)",
  "function getIdByTime(uint256 frequency, uint16 dueDay) view returns (bytes32[])",
  "function getAccountSubscriptions(bool bySubscriber, address account) view returns (SubView[])",
  "function getAccount(address account) view returns (Account)",
  "function getSubscribersById(bytes32 id) view returns (SubscriberView[])",
  "function getUnsubscribedLength(bytes32 id) view returns (uint256)",

  "function createSubscription(uint256 amount, address token, Details details, uint8 frequency, uint16 dueDay)",
  "function subscribe(Subscription subscription)",
  "function unsubscribe(Subscription subscription)",
  "function unsubscribeByProvider(Subscription subscription, address subscriber)",
  "function cancelSubscription(Subscription subscription)",
  "function editDetails(Details details, bytes32 id)",
  "function editProvDetails(ProviderDetails details)",
  "function remit()",

  "event SubLog(bytes32 indexed id, address indexed provider, address indexed subscriber, uint40 timestamp, uint256 amount, address token, uint8 subScriptEvent)",
  "event DetailsLog(bytes32 indexed id, address indexed provider, uint40 indexed timestamp, string url, string description)",
  "event ProvDetailsLog(address indexed provider, uint40 indexed timestamp, string description, string company, string url, string domain, string email, string misc)",
  "event CallerLog(uint40 indexed timestamp, uint40 indexed checkedDay, address indexed caller, bool isFinished)",
  "event Coordinates(bytes32 indexed id, uint256 subscriberIndex, uint256 subscriptionIndex, uint256 frequency, uint40 indexed nextUncheckedDay)",
  "event UList(uint40 indexed timestamp, bytes32 indexed id, address indexed subscriber)",
]);
