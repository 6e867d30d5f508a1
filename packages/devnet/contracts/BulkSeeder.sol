// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Subscribing} from "./Subscribing.sol";
import "./Types.sol";

/// Subscribes many accounts at once. Its code replaces that of the protocol while a large chain is seeded: all the
/// storage it writes is ProtocolBase's, which both contracts lay out from slot 0, so no slot is computed by hand.
contract BulkSeeder is Subscribing {
    /// Subscribes `count` consecutive addresses from `first` on, each with one whole amount as fee balance.
    /// Transfers no token: the caller must fund the contract with the sum of the fee balances.
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
