/** Reads that take longer count as a lost connection. */
export const READ_LIMIT_MS = 10_000
