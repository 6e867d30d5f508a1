// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

enum Frequency {
    WEEKLY,
    MONTHLY,
    QUARTERLY,
    YEARLY
}

enum Status {
    ACTIVE,
    CANCELLED,
    UNSUBSCRIBED
}

enum SubscriptEvent {
    CREATE,
    CANCEL,
    PROVPAID,
    FAILED,
    PROVREFUND,
    SUBPAID,
    SUBSCRIBED,
    UNSUBSCRIBED,
    FEEFILL,
    SUBREFUND
}

/// Amounts have 18 decimals, independent of the token. An unknown subscription is all zero.
struct Subscription {
    bytes32 id;
    uint256 amount;
    address provider;
    address token;
    bool cancelled;
    Frequency frequency;
    uint16 dueDay;
}

struct SubView {
    Subscription subscription;
    Status status;
    uint256 totalSubscribers;
}

struct SubIndex {
    bytes32 id;
    uint16 dueDay;
    Frequency frequency;
    Status status;
}

struct Account {
    address accountAddress;
    SubIndex[] subscriptions;
    SubIndex[] provSubs;
}

struct SubscriberView {
    address subscriber;
    uint256 feeBalance;
}

struct ApprovedToken {
    address tokenAddress;
    uint8 decimals;
    bool paused;
    uint256 minimum;
}

struct Details {
    string url;
    string description;
}

struct ProviderDetails {
    string description;
    string company;
    string url;
    string domain;
    string email;
    string misc;
}

/// The entry at which the next remit() continues. Both indexes count from 1.
struct PageStart {
    bytes32 id;
    uint256 subscriberIndex;
    uint256 subscriptionIndex;
    uint256 frequency;
    bool initialized;
}
