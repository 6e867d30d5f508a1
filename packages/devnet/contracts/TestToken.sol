// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface ContractWallet {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// An ERC-20 token for tests, with EIP-2612 and its form for wallets that are contracts (ERC-1271), as USDC has them: any decimals; any account may mint, burn, block an address or set an allowance.
contract TestToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    uint256 public totalSupply;
    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public blocked;
    mapping(address owner => uint256) public nonces;

    string public constant version = "2";
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function approve(address spender, uint256 value) public virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public virtual returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _transfer(from, to, value);
        return true;
    }

    function DOMAIN_SEPARATOR() public view virtual returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this))
        );
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    /// A wallet that is a contract decides itself what it has signed.
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature)
        public
        virtual
    {
        require(block.timestamp <= deadline, "permit is expired");
        bytes32 content = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline));
        bytes32 hash = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), content));
        require(_hasSigned(owner, hash, signature), "invalid signature");
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function _hasSigned(address owner, bytes32 hash, bytes memory signature) private view returns (bool) {
        if (owner.code.length > 0) {
            return ContractWallet(owner).isValidSignature(hash, signature) == ContractWallet.isValidSignature.selector;
        }
        if (signature.length != 65) return false;
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        return owner != address(0) && ecrecover(hash, v, r, s) == owner;
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function burn(address from, uint256 value) external {
        totalSupply -= value;
        balanceOf[from] -= value;
        emit Transfer(from, address(0), value);
    }

    /// Transfers from and to a blocked address revert with "blocked".
    function setBlocked(address account, bool blocked_) external {
        blocked[account] = blocked_;
    }

    /// Sets the balance of `owner` and the allowance of `spender`, without an event.
    function fund(address owner, address spender, uint256 balance, uint256 allowed) public {
        totalSupply = totalSupply - balanceOf[owner] + balance;
        balanceOf[owner] = balance;
        allowance[owner][spender] = allowed;
    }

    /// `fund` for `count` consecutive addresses from `first` on.
    function fundRange(address first, uint256 count, address spender, uint256 balance, uint256 allowed) external {
        for (uint160 index = 0; index < count; index++) {
            fund(address(uint160(first) + index), spender, balance, allowed);
        }
    }

    function _transfer(address from, address to, uint256 value) internal virtual {
        require(!blocked[from] && !blocked[to], "blocked");
        require(balanceOf[from] >= value, "balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
