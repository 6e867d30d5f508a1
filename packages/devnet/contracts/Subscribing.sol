// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {DueDays} from "./DueDays.sol";
import {Providing} from "./Providing.sol";
import "./Types.sol";

/// Functions of subscribers. The first payment is charged at once, prorated to the next due day.
abstract contract Subscribing is Providing {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;

    function subscribe(Subscription calldata argument) external nonReentrant {
        bytes32 id = argument.id;
        Subscription memory subscription = _requireSubscription(id);
        require(!approvedERC20[subscription.token].paused, "20");
        require(!_isCheckpoint(id), "24");
        require(_canPay(msg.sender, subscription.token, subscription.amount), "10");
        require(subscription.provider != msg.sender, "0");
        require(
            !_subscribers[id].contains(msg.sender) || _unsubscribed[id].contains(msg.sender), "25"
        );
        require(!subscription.cancelled, "23");

        _enter(subscription, msg.sender);
        (uint256 toBalance, uint256 toProvider) = _firstPayment(subscription);
        feeBalance[id][msg.sender] += toBalance;

        _log(subscription, msg.sender, subscription.amount, SubscriptEvent.SUBSCRIBED);
        _log(subscription, msg.sender, toBalance, SubscriptEvent.FEEFILL);
        _take(subscription.token, msg.sender, address(this), toBalance);
        if (toProvider > 0) {
            _log(subscription, msg.sender, toProvider, SubscriptEvent.PROVPAID);
            _take(subscription.token, msg.sender, subscription.provider, toProvider);
        }
    }

    /// Does not check whether the caller ever subscribed: the first call of a stranger succeeds.
    function unsubscribe(Subscription calldata argument) external nonReentrant {
        Subscription memory subscription = _requireSubscription(argument.id);
        require(_status[argument.id][msg.sender] != Status.UNSUBSCRIBED, "3");
        uint256 balance = _leave(subscription, msg.sender);
        _log(subscription, msg.sender, balance, SubscriptEvent.PROVREFUND);
        _send(subscription.token, subscription.provider, balance);
    }

    /// A subscriber that is still on the unsubscribed list keeps its position in the set.
    function _enter(Subscription memory subscription, address subscriber) internal {
        bytes32 id = subscription.id;
        EnumerableSet.AddressSet storage subscribers = _subscribers[id];
        if (subscribers.length() == 0) _due[subscription.frequency][subscription.dueDay].add(id);
        _unsubscribed[id].remove(subscriber);
        subscribers.add(subscriber);
        _status[id][subscriber] = Status.ACTIVE;
        if (_subscribedTo[subscriber].length() == 0) _totalSubscribers++;
        _subscribedTo[subscriber].add(id);
    }

    function _firstPayment(Subscription memory subscription)
        internal
        view
        returns (uint256 toBalance, uint256 toProvider)
    {
        uint256 amount = subscription.amount;
        uint256 callerAmount = (amount * callerFee) / 10000 - amount;
        uint256 fee = DueDays.prorate(_today(), amount, subscription.frequency, subscription.dueDay);
        // On a due day that is still open, the remit() of that day charges the whole amount.
        if (fee < callerAmount || (fee == amount && nextUncheckedDay <= _today())) return (callerAmount, 0);

        toBalance = fee;
        if (subscription.frequency == Frequency.MONTHLY) {
            if ((fee * 100) / amount >= 25) toBalance = (amount * 25) / 100;
        } else if (subscription.frequency != Frequency.WEEKLY) {
            if ((fee * 1000) / amount >= 83) toBalance = (amount * 83) / 1000;
        }
        toProvider = fee - toBalance;
    }
}
