/**
 * Factor for the number of seeds and cases of random tests, and for their time limits: 1, or 10 in `bun run test:deep`, which sets
 * TEST_DEPTH.
 */
export const testDepth = Number(process.env.TEST_DEPTH || 1);
