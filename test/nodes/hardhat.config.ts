/** Of the node that `startHardhat` starts. Hardhat writes artifacts even for a project without contracts: they go to a folder of the run. */
export default {
  paths: { artifacts: process.env.HARDHAT_ARTIFACTS, cache: process.env.HARDHAT_ARTIFACTS },
  networks: {
    node: {
      type: "edr-simulated",
      chainId: 31337,
      hardfork: "prague",
      // As anvil: a page of several hundred payments fits into a block.
      blockGasLimit: 60_000_000n,
      allowUnlimitedContractSize: true,
      // Before the recorded scenarios, which set the time of each block.
      initialDate: "2020-01-01T00:00:00Z",
      throwOnTransactionFailures: false,
    },
  },
};
