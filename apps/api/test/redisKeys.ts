import { redisConnection } from "@dueday/api/limits/redisConnection";

/** The keys on a Redis that match a pattern, and for how many milliseconds each still lives. */
export async function redisKeys(address: string, pattern: string): Promise<Map<string, number>> {
  const redis = redisConnection(address);
  await redis.renew();
  try {
    const keys = await redis.send("KEYS", [pattern]);
    if (!Array.isArray(keys)) throw new Error("Redis did not answer with a list of keys");
    const lives = keys.map(async (key) => [String(key), Number(await redis.send("PTTL", [String(key)]))] as const);
    return new Map(await Promise.all(lives));
  } finally {
    redis.close();
  }
}
