// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {DueDays} from "./DueDays.sol";
import {ProtocolBase} from "./ProtocolBase.sol";
import "./Types.sol";

/// remit(): settles one day that has something due, or one page of it.
abstract contract Remitting is ProtocolBase {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;

    /// State of one call of remit(). `start` is the checkpoint it began with, cleared if that id is not charged.
    struct Run {
        PageStart start;
        bool met;
        bool dayHasDue;
        uint40 day;
        uint256 payments;
    }

    /// The id that is being charged, its position in the due list (from 1), and the caller's fee: for one payment, and earned so far.
    struct Charge {
        Subscription subscription;
        uint256 listPosition;
        uint256 subFee;
        uint256 earned;
    }

    function remit() external nonReentrant {
        Run memory run;
        run.start = _pageStart;
        do {
            run.day = nextUncheckedDay;
            require(run.day <= _today(), "6");
            if (!_settleDay(run)) {
                emit CallerLog(uint40(block.timestamp), run.day, msg.sender, false);
                return;
            }
            delete _pageStart;
            delete run.start;
            emit CallerLog(uint40(block.timestamp), run.day, msg.sender, true);
            nextUncheckedDay = run.day + 1;
        } while (!run.dayHasDue);
    }

    /// Returns false if the page is full before the day is complete.
    function _settleDay(Run memory run) private returns (bool) {
        DueDays.CalendarDay memory calendarDay = DueDays.calendarDay(run.day);
        for (uint8 index = 0; index < 4; index++) {
            if (run.start.initialized && index < run.start.frequency) continue;
            Frequency frequency = Frequency(index);
            if (!_settleList(run, _due[frequency][DueDays.numberIn(calendarDay, frequency)])) return false;
        }
        return true;
    }

    function _settleList(Run memory run, EnumerableSet.Bytes32Set storage due) private returns (bool) {
        for (uint256 position = due.length(); position > 0; position--) {
            // Applies to later frequencies as well: ids above the checkpoint's position are missed there.
            if (run.start.initialized && position > run.start.subscriptionIndex) continue;
            bytes32 id = due.at(position - 1);
            if (_subscribers[id].length() == 0) {
                due.remove(id);
                continue;
            }
            run.dayHasDue = true;
            Subscription memory subscription = idSubMap[id];
            if (subscription.cancelled || approvedERC20[subscription.token].paused) {
                if (subscription.cancelled) due.remove(id);
                if (run.start.initialized && run.start.id == id) {
                    delete run.start;
                    delete _pageStart;
                }
                continue;
            }
            uint256 subFee = (subscription.amount * callerFee) / 10000 - subscription.amount;
            if (!_chargeSubscribers(run, Charge(subscription, position, subFee, 0))) return false;
        }
        return true;
    }

    function _chargeSubscribers(Run memory run, Charge memory charge) private returns (bool) {
        bytes32 id = charge.subscription.id;
        EnumerableSet.AddressSet storage subscribers = _subscribers[id];
        // Checked arithmetic: a list longer than the set blocks remit() for all callers.
        uint256 active = subscribers.length() - _unsubscribed[id].length();

        for (uint256 position = subscribers.length(); position > 0; position--) {
            if (run.payments >= maxRemits) {
                uint256 frequency = uint256(charge.subscription.frequency);
                _pageStart = PageStart(id, position, charge.listPosition, frequency, true);
                _payCaller(charge);
                return false;
            }
            if (run.start.initialized && !run.met) {
                if (run.start.id != id || run.start.subscriberIndex != position) continue;
                run.met = true;
            }
            address subscriber = subscribers.at(position - 1);
            if (_unsubscribed[id].contains(subscriber)) continue;

            run.payments++;
            if (_canPay(subscriber, charge.subscription.token, charge.subscription.amount)) {
                _logCoordinates(run, charge, position);
                _chargeOne(charge, subscriber);
            } else {
                _failOne(charge, subscriber);
                _logCoordinates(run, charge, position);
            }
            if (position == 1 && active > 0) _payCaller(charge);
        }
        return true;
    }

    function _chargeOne(Charge memory charge, address subscriber) private {
        Subscription memory subscription = charge.subscription;
        bytes32 id = subscription.id;
        uint256 amount = subscription.amount;
        charge.earned += charge.subFee;
        if (feeBalance[id][subscriber] > charge.subFee) {
            feeBalance[id][subscriber] -= charge.subFee;
            _log(subscription, subscriber, amount, SubscriptEvent.SUBPAID);
            _log(subscription, subscriber, amount, SubscriptEvent.PROVPAID);
            _take(subscription.token, subscriber, subscription.provider, amount);
            return;
        }
        // One part of the payment tops up the fee balance: all of a weekly one, a quarter of a monthly one, a twelfth of others.
        uint256 parts =
            subscription.frequency == Frequency.WEEKLY ? 1 : subscription.frequency == Frequency.MONTHLY ? 4 : 12;
        uint256 feeFill = amount / parts;
        feeBalance[id][subscriber] += feeFill - charge.subFee;
        _log(subscription, subscriber, amount, SubscriptEvent.FEEFILL);
        _take(subscription.token, subscriber, address(this), feeFill);
        if (parts > 1) {
            uint256 rest = feeFill * (parts - 1);
            _log(subscription, subscriber, rest, SubscriptEvent.PROVPAID);
            _take(subscription.token, subscriber, subscription.provider, rest);
        }
    }

    function _failOne(Charge memory charge, address subscriber) private {
        Subscription memory subscription = charge.subscription;
        bytes32 id = subscription.id;
        uint256 balance = feeBalance[id][subscriber];
        if (balance > charge.subFee) {
            charge.earned += charge.subFee;
            feeBalance[id][subscriber] = 0;
            _log(subscription, subscriber, balance - charge.subFee, SubscriptEvent.PROVREFUND);
            _send(subscription.token, subscription.provider, balance - charge.subFee);
        }
        _status[id][subscriber] = Status.UNSUBSCRIBED;
        _subscribers[id].remove(subscriber);
        _log(subscription, subscriber, subscription.amount, SubscriptEvent.UNSUBSCRIBED);
        _log(subscription, subscriber, 0, SubscriptEvent.FAILED);
    }

    function _logCoordinates(Run memory run, Charge memory charge, uint256 position) private {
        uint256 frequency = uint256(charge.subscription.frequency);
        emit Coordinates(charge.subscription.id, position, charge.listPosition, frequency, run.day);
    }

    function _payCaller(Charge memory charge) private {
        uint256 share = 0;
        if (_systemFeeActive) {
            share = (charge.earned * systemFee) / 10000 - charge.earned;
            _send(charge.subscription.token, _systemFeeReceiver, share);
        }
        _send(charge.subscription.token, msg.sender, charge.earned - share);
    }
}
