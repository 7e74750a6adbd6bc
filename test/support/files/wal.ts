import { readFileSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/**
 * Returns the number of commits in the write-ahead log of a database: the last frame of each commit names the
 * size of the database. It counts until SQLite starts the log anew, so a test compares two counts of a short time.
 */
export function commitsIn(databaseFile: string): number {
  const wal = readFileSync(`${databaseFile}-wal`)
  if (wal.length < HEADER_BYTES) return 0
  const pageBytes = wal.readUInt32BE(8)
  const salt = wal.subarray(16, 24)
  let commits = 0
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES <= wal.length; at += FRAME_HEADER_BYTES + pageBytes) {
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break
    if (wal.readUInt32BE(at + 4) !== 0) commits += 1
  }
  return commits
}
