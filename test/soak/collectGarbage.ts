/** Preloaded into a process whose memory is measured: collects its garbage on SIGUSR2, so that what is left is what stays. */
process.on("SIGUSR2", () => Bun.gc(true));
