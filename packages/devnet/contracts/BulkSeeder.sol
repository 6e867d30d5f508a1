// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Subscribing} from "./Subscribing.sol";
import "./Types.sol";

/// Lets many accounts subscribe at once. Its code stands in for the protocol's while a large chain is seeded: all the
/// storage it writes is ProtocolBase's, which both lay out from slot 0, so nothing is written by hand.
contract BulkSeeder is Subscribing {
    /// `count` consecutive addresses from `first` on subscribe, each with one whole amount as fee balance.
    /// No token moves: who calls this gives the contract what the fee balances come to.
    function seedSubscribers(bytes32 id, address first, uint256 count) external {
        Subscription memory subscription = _requireSubscription(id);
        for (uint160 index = 0; index < count; index++) {
            address subscriber = address(uint160(first) + index);
            _enter(subscription, subscriber);
            feeBalance[id][subscriber] = subscription.amount;
            _log(subscription, subscriber, subscription.amount, SubscriptEvent.SUBSCRIBED);
            _log(subscription, subscriber, subscription.amount, SubscriptEvent.FEEFILL);
        }
    }
}
