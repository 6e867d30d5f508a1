/** Runs `work` `rounds` times in sequence. Returns the milliseconds of each run. */
export async function timeRounds(rounds: number, work: (round: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work(round);
    times.push(performance.now() - start);
  }
  return times;
}
