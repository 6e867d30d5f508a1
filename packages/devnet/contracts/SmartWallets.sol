// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A wallet that is a contract: what its owner has signed, it has signed (ERC-1271).
contract SmartWallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        bool isOwner = ecrecover(hash, uint8(signature[64]), r, s) == owner;
        return isOwner ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Deploys wallets at addresses that are known before (ERC-6492).
contract SmartWalletFactory {
    function create(address owner, bytes32 salt) external returns (SmartWallet) {
        return new SmartWallet{salt: salt}(owner);
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(SmartWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }
}

/// A wallet that no longer honours what its owner has signed, once the owner changes its mind.
contract FickleWallet {
    address public immutable owner;
    bool public hasChangedItsMind;

    constructor(address owner_) {
        owner = owner_;
    }

    function changeMind(bool hasChanged) external {
        hasChangedItsMind = hasChanged;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bool isOwner = ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64])) == owner;
        return isOwner && !hasChangedItsMind ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// Any call, as the owner would make it.
    function execute(address to, bytes calldata data) external returns (bytes memory returned) {
        bool success;
        (success, returned) = to.call(data);
        require(success);
    }
}

/// A wallet whose code never ends.
contract EndlessWallet {
    function isValidSignature(bytes32 hash, bytes calldata) external pure returns (bytes4) {
        while (true) hash = keccak256(abi.encode(hash));
        return this.isValidSignature.selector;
    }
}
