// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Administering} from "./Administering.sol";
import {Remitting} from "./Remitting.sol";
import {Subscribing} from "./Subscribing.sol";
import {Viewing} from "./Viewing.sol";

/// The recurring-payment protocol for local chains and tests, written from a description of its behaviour.
/// Results, reverts and events equal those of the deployed contract; gas differs.
contract SubscriptionProtocol is Subscribing, Remitting, Administering, Viewing {
    constructor(
        uint256 callerFee_,
        uint256 systemFee_,
        uint256 maxRemits_,
        uint256 cancelLimit_,
        bool allowSystemFee,
        address admin,
        address janitor
    ) Administering(admin, janitor) {
        callerFee = callerFee_;
        systemFee = systemFee_;
        maxRemits = maxRemits_;
        cancelLimit = cancelLimit_;
        _systemFeeActive = allowSystemFee;
        _systemFeeReceiver = admin;
        nextUncheckedDay = _today() - 2;
    }
}
