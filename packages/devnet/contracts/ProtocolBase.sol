// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import "./Types.sol";

/// State, events, and functions that several parts of the protocol share.
/// A revert carries the protocol's decimal code as its reason; the codes are listed in core's reverts.
abstract contract ProtocolBase {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;
    using SafeERC20 for IERC20;

    event SubLog(
        bytes32 indexed id,
        address indexed provider,
        address indexed subscriber,
        uint40 timestamp,
        uint256 amount,
        address token,
        SubscriptEvent subScriptEvent
    );
    event DetailsLog(
        bytes32 indexed id, address indexed provider, uint40 indexed timestamp, string url, string description
    );
    event ProvDetailsLog(
        address indexed provider,
        uint40 indexed timestamp,
        string description,
        string company,
        string url,
        string domain,
        string email,
        string misc
    );
    event CallerLog(uint40 indexed timestamp, uint40 indexed checkedDay, address indexed caller, bool isFinished);
    event Coordinates(
        bytes32 indexed id,
        uint256 subscriberIndex,
        uint256 subscriptionIndex,
        uint256 frequency,
        uint40 indexed nextUncheckedDay
    );
    event UList(uint40 indexed timestamp, bytes32 indexed id, address indexed subscriber);

    /// 10000 + basis points.
    uint256 public callerFee;
    /// 10000 + basis points.
    uint256 public systemFee;
    uint256 public maxRemits;
    uint256 public cancelLimit;
    uint40 public nextUncheckedDay;
    bool internal _systemFeeActive;
    address internal _systemFeeReceiver;

    mapping(bytes32 id => Subscription) public idSubMap;
    mapping(address token => ApprovedToken) public approvedERC20;
    mapping(bytes32 id => mapping(address subscriber => uint256)) public feeBalance;

    PageStart internal _pageStart;
    mapping(Frequency => mapping(uint16 dueDay => EnumerableSet.Bytes32Set)) internal _due;
    mapping(bytes32 id => EnumerableSet.AddressSet) internal _subscribers;
    /// Accounts that unsubscribed while the id was the page checkpoint. Subscribers among them stay in the set, so that positions do not change.
    mapping(bytes32 id => EnumerableSet.AddressSet) internal _unsubscribed;
    mapping(bytes32 id => mapping(address subscriber => Status)) internal _status;
    mapping(address account => EnumerableSet.Bytes32Set) internal _subscribedTo;
    mapping(address account => EnumerableSet.Bytes32Set) internal _created;
    mapping(address provider => uint256) internal _nonce;
    uint256 internal _totalSubscribers;
    /// In transient storage: the gas of the deployed contract shows neither a slot for it nor its refund.
    bool private transient _entered;

    modifier nonReentrant() {
        require(!_entered, "19");
        _entered = true;
        _;
        _entered = false;
    }

    function _today() internal view returns (uint40) {
        return uint40(block.timestamp / 1 days);
    }

    function _requireSubscription(bytes32 id) internal view returns (Subscription memory subscription) {
        subscription = idSubMap[id];
        require(subscription.provider != address(0), "3");
    }

    function _isCheckpoint(bytes32 id) internal view returns (bool) {
        return _pageStart.initialized && _pageStart.id == id;
    }

    function _toTokenUnits(address token, uint256 amount) internal view returns (uint256) {
        uint256 decimals = approvedERC20[token].decimals;
        return decimals <= 18 ? amount / 10 ** (18 - decimals) : amount * 10 ** (decimals - 18);
    }

    function _canPay(address subscriber, address token, uint256 amount) internal view returns (bool) {
        uint256 units = _toTokenUnits(token, amount);
        return IERC20(token).allowance(subscriber, address(this)) >= units
            && IERC20(token).balanceOf(subscriber) >= units;
    }

    /// `amount` has 18 decimals, here and in `_send`. Transfers of 0 are made too.
    function _take(address token, address from, address to, uint256 amount) internal {
        IERC20(token).safeTransferFrom(from, to, _toTokenUnits(token, amount));
    }

    function _send(address token, address to, uint256 amount) internal {
        IERC20(token).safeTransfer(to, _toTokenUnits(token, amount));
    }

    function _log(Subscription memory subscription, address subscriber, uint256 amount, SubscriptEvent what) internal {
        emit SubLog(
            subscription.id,
            subscription.provider,
            subscriber,
            uint40(block.timestamp),
            amount,
            subscription.token,
            what
        );
    }
}
