// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Tokens whose interface differs from ERC-20, so that they cannot inherit the test token.
abstract contract BareToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _approve(address spender, uint256 value) internal {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function _spend(address from, uint256 value) internal {
        allowance[from][msg.sender] -= value;
    }

    function _transfer(address from, address to, uint256 value) internal {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

abstract contract ReturningToken is BareToken {
    function approve(address spender, uint256 value) external returns (bool) {
        _approve(spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        _spend(from, value);
        _transfer(from, to, value);
        return true;
    }
}

contract Bytes32SymbolToken is ReturningToken {
    bytes32 public constant name = "Bytes32 symbol";
    bytes32 public constant symbol = "B32";
}

contract NoSymbolToken is ReturningToken {}

contract NoReturnToken is BareToken {
    string public constant name = "No return value";
    string public constant symbol = "NRV";

    function approve(address spender, uint256 value) external {
        _approve(spender, value);
    }

    function transfer(address to, uint256 value) external {
        _transfer(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        _spend(from, value);
        _transfer(from, to, value);
    }
}
