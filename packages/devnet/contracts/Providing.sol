// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {ProtocolBase} from "./ProtocolBase.sol";
import "./Types.sol";

/// Functions of providers: create, describe, cancel, and remove a subscriber.
abstract contract Providing is ProtocolBase {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;

    function createSubscription(
        uint256 amount,
        address token,
        Details calldata details,
        Frequency frequency,
        uint16 dueDay
    ) external {
        require(token != address(0), "4");
        ApprovedToken storage approved = approvedERC20[token];
        require(approved.tokenAddress != address(0), "5");
        require(!approved.paused, "20");
        _requireDueDay(frequency, dueDay);
        require(amount >= approved.minimum, "18");

        bytes32 id = keccak256(abi.encodePacked(msg.sender, _nonce[msg.sender]++, block.timestamp));
        Subscription memory subscription = Subscription(id, amount, msg.sender, token, false, frequency, dueDay);
        idSubMap[id] = subscription;
        _created[msg.sender].add(id);

        emit DetailsLog(id, msg.sender, uint40(block.timestamp), details.url, details.description);
        _log(subscription, address(0), amount, SubscriptEvent.CREATE);
    }

    /// The id stays in its due list until a remit() reaches it, and its subscribers in their set until the janitor removes them.
    function cancelSubscription(Subscription calldata argument) external {
        Subscription memory subscription = _requireSubscription(argument.id);
        require(subscription.provider == msg.sender, "13");
        require(!subscription.cancelled, "23");
        idSubMap[argument.id].cancelled = true;
        _log(subscription, address(0), 0, SubscriptEvent.CANCEL);
    }

    function unsubscribeByProvider(Subscription calldata argument, address subscriber) external nonReentrant {
        bytes32 id = argument.id;
        Subscription memory subscription = _requireSubscription(id);
        require(_status[id][subscriber] != Status.UNSUBSCRIBED, "3");
        require(subscription.provider == msg.sender, "8");
        require(_subscribers[id].contains(subscriber) && !_unsubscribed[id].contains(subscriber), "9");
        uint256 balance = _leave(subscription, subscriber);
        _send(subscription.token, subscriber, balance);
    }

    function editDetails(Details calldata details, bytes32 id) external {
        if (idSubMap[id].provider != msg.sender) return;
        emit DetailsLog(id, msg.sender, uint40(block.timestamp), details.url, details.description);
    }

    function editProvDetails(ProviderDetails memory details) external {
        emit ProvDetailsLog(
            msg.sender,
            uint40(block.timestamp),
            details.description,
            details.company,
            details.url,
            details.domain,
            details.email,
            details.misc
        );
    }

    /// Marks `subscriber` as unsubscribed and clears its fee balance, which the calling function must pay out.
    function _leave(Subscription memory subscription, address subscriber) internal returns (uint256 balance) {
        bytes32 id = subscription.id;
        _status[id][subscriber] = Status.UNSUBSCRIBED;
        balance = feeBalance[id][subscriber];
        feeBalance[id][subscriber] = 0;
        if (_isCheckpoint(id)) {
            _unsubscribed[id].add(subscriber);
            emit UList(uint40(block.timestamp), id, subscriber);
        } else {
            _subscribers[id].remove(subscriber);
        }
        _log(subscription, subscriber, subscription.amount, SubscriptEvent.UNSUBSCRIBED);
    }

    function _requireDueDay(Frequency frequency, uint16 dueDay) private pure {
        if (frequency == Frequency.WEEKLY) require(dueDay >= 1 && dueDay <= 7, "14");
        else if (frequency == Frequency.MONTHLY) require(dueDay >= 1 && dueDay <= 28, "15");
        else if (frequency == Frequency.QUARTERLY) require(dueDay >= 1 && dueDay <= 90, "16");
        else require(dueDay >= 1 && dueDay <= 365, "17");
    }
}
