/** Seed of what a test file draws at random: FC_SEED, or a new one. It is printed, so that a failed run can be repeated. */
export const testSeed = Number(process.env.FC_SEED || Math.floor(Math.random() * 2 ** 31));

console.log(`FC_SEED=${testSeed}`);
