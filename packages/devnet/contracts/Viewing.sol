// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {ProtocolBase} from "./ProtocolBase.sol";
import "./Types.sol";

/// Views besides the getters of public state variables.
abstract contract Viewing is ProtocolBase {
    using EnumerableSet for EnumerableSet.AddressSet;
    using EnumerableSet for EnumerableSet.Bytes32Set;

    /// Accounts that ever subscribed to anything.
    function getTotalSubscribers() external view returns (uint256) {
        return _totalSubscribers;
    }

    /// A frequency above 3 reverts without a reason.
    function getIdByTime(uint256 frequency, uint16 dueDay) external view returns (bytes32[] memory) {
        require(frequency <= uint256(type(Frequency).max));
        return _due[Frequency(frequency)][dueDay].values();
    }

    function getUnsubscribedLength(bytes32 id) external view returns (uint256) {
        return _unsubscribed[id].length();
    }

    /// Writes each row at its index in the set, to an array sized for the active subscribers only: reverts with
    /// panic 0x32 if an entry of the unsubscribed list precedes an active one, or a stranger is on that list.
    function getSubscribersById(bytes32 id) external view returns (SubscriberView[] memory rows) {
        EnumerableSet.AddressSet storage subscribers = _subscribers[id];
        uint256 length = subscribers.length();
        rows = new SubscriberView[](length - _unsubscribed[id].length());
        for (uint256 index = 0; index < length; index++) {
            address subscriber = subscribers.at(index);
            if (_unsubscribed[id].contains(subscriber)) continue;
            rows[index] = SubscriberView(subscriber, feeBalance[id][subscriber]);
        }
    }

    function getAccountSubscriptions(bool bySubscriber, address account)
        external
        view
        returns (SubView[] memory views)
    {
        bytes32[] memory ids = bySubscriber ? _subscribedTo[account].values() : _created[account].values();
        views = new SubView[](ids.length);
        for (uint256 index = 0; index < ids.length; index++) {
            bytes32 id = ids[index];
            views[index] = SubView(idSubMap[id], _rowStatus(bySubscriber, id, account), _subscribers[id].length());
        }
    }

    function getAccount(address account) external view returns (Account memory) {
        return Account(account, _rows(true, account), _rows(false, account));
    }

    function _rows(bool bySubscriber, address account) private view returns (SubIndex[] memory rows) {
        bytes32[] memory ids = bySubscriber ? _subscribedTo[account].values() : _created[account].values();
        rows = new SubIndex[](ids.length);
        for (uint256 index = 0; index < ids.length; index++) {
            Subscription storage subscription = idSubMap[ids[index]];
            Status status = _rowStatus(bySubscriber, ids[index], account);
            rows[index] = SubIndex(ids[index], subscription.dueDay, subscription.frequency, status);
        }
    }

    /// A subscriber's row keeps its own status when the provider cancels; a provider's row has the status of the id.
    function _rowStatus(bool bySubscriber, bytes32 id, address account) private view returns (Status) {
        if (bySubscriber) return _status[id][account];
        return idSubMap[id].cancelled ? Status.CANCELLED : Status.ACTIVE;
    }
}
