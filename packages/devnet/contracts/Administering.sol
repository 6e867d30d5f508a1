// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {ProtocolBase} from "./ProtocolBase.sol";
import "./Types.sol";

/// Functions of the admin and the janitor.
abstract contract Administering is ProtocolBase, AccessControlDefaultAdminRules {
    using EnumerableSet for EnumerableSet.AddressSet;

    bytes32 public constant JANITOR_ROLE = keccak256("JANITOR_ROLE");

    constructor(address admin, address janitor) AccessControlDefaultAdminRules(1 days, admin) {
        _grantRole(JANITOR_ROLE, janitor);
    }

    function addERC20Contract(address token, uint256 minimum, uint8 decimals) external onlyRole(DEFAULT_ADMIN_ROLE) {
        require(token != address(0), "4");
        require(approvedERC20[token].tokenAddress == address(0), "1");
        approvedERC20[token] = ApprovedToken(token, decimals, false, minimum);
    }

    function pauseToken(address token, bool pause) external onlyRole(DEFAULT_ADMIN_ROLE) {
        require(pause || approvedERC20[token].paused);
        approvedERC20[token].paused = pause;
    }

    function changeCallerFee(uint256 fee) external onlyRole(DEFAULT_ADMIN_ROLE) {
        require(fee >= 10000 && fee <= 10833);
        callerFee = fee;
    }

    function changeSystemFee(uint256 fee) external onlyRole(DEFAULT_ADMIN_ROLE) {
        require(fee >= 10000 && fee <= 19999);
        systemFee = fee;
    }

    function systemFeeActivate(bool active) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _systemFeeActive = active;
    }

    function changeSysFeeReceiver(address receiver) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _systemFeeReceiver = receiver;
    }

    function changeMaxRemits(uint256 limit) external onlyRole(DEFAULT_ADMIN_ROLE) {
        maxRemits = limit;
    }

    function setCancelLimit(uint256 limit) external onlyRole(DEFAULT_ADMIN_ROLE) {
        cancelLimit = limit;
    }

    function setNextUncheckedDay(uint40 day) external onlyRole(DEFAULT_ADMIN_ROLE) {
        nextUncheckedDay = day;
    }

    function setPageStart(PageStart calldata start) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _pageStart = start;
    }

    /// Removes up to cancelLimit subscribers of a cancelled id, from the end, and pays their fee balances back.
    function cleanupCancelledSubscribers(Subscription calldata argument)
        external
        onlyRole(JANITOR_ROLE)
        nonReentrant
    {
        Subscription memory subscription = _requireSubscription(argument.id);
        require(subscription.cancelled);
        EnumerableSet.AddressSet storage subscribers = _subscribers[subscription.id];
        require(subscribers.length() > 0, "22");

        uint256 shares = 0;
        for (uint256 count = 0; count < cancelLimit && subscribers.length() > 0; count++) {
            address subscriber = subscribers.at(subscribers.length() - 1);
            subscribers.remove(subscriber);
            if (!_unsubscribed[subscription.id].remove(subscriber)) shares += _refund(subscription, subscriber);
        }
        if (_systemFeeActive) _send(subscription.token, _systemFeeReceiver, shares);
    }

    /// Removes up to cancelLimit entries of the unsubscribed list, from the end, from the list and the set.
    function cleanUnsubscribeList(bytes32 id) external onlyRole(JANITOR_ROLE) {
        _requireSubscription(id);
        require(!_isCheckpoint(id));
        EnumerableSet.AddressSet storage unsubscribed = _unsubscribed[id];
        require(unsubscribed.length() > 0, "22");
        for (uint256 count = 0; count < cancelLimit && unsubscribed.length() > 0; count++) {
            address subscriber = unsubscribed.at(unsubscribed.length() - 1);
            unsubscribed.remove(subscriber);
            _subscribers[id].remove(subscriber);
        }
    }

    /// Returns the system's share without sending it.
    function _refund(Subscription memory subscription, address subscriber) private returns (uint256 share) {
        uint256 balance = feeBalance[subscription.id][subscriber];
        feeBalance[subscription.id][subscriber] = 0;
        _status[subscription.id][subscriber] = Status.CANCELLED;
        if (_systemFeeActive) share = (balance * systemFee) / 10000 - balance;
        _log(subscription, subscriber, subscription.amount, SubscriptEvent.UNSUBSCRIBED);
        _log(subscription, subscriber, subscription.amount, SubscriptEvent.SUBREFUND);
        _send(subscription.token, subscriber, balance - share);
    }
}
