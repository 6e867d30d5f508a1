// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An ERC-20 token for tests: any decimals; any account may mint, burn, block an address or set an allowance.
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
