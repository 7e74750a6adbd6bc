import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { FileSink, type LogSink } from './sink.js'

const ERROR_LOG = 'errors.jsonl'
/** Lines kept when the file is cut: when the service starts, and when it has grown too long. */
const KEPT_LINES = 1000
/** Bytes past which it is cut while the service runs; of a longer one only so much of the end is looked at. */
const MAX_BYTES = 10 * 1024 * 1024
/** Bytes kept at most, so that long lines do not have it cut again at once. */
const KEPT_BYTES = MAX_BYTES / 2
/** Bytes written before a cut that failed is tried again. */
const RETRY_BYTES = 1024 * 1024

/**
 * Opens the JSON Lines error log, cut to its newest lines at start and whenever it is past 10 MB, so that it never
 * grows without end. A file that is removed or put aside while the service runs is made anew with the next line.
 */
export function openErrorLog(dir: string): LogSink {
  const file = join(dir, ERROR_LOG)
  cut(file)
  const sink = new FileSink({ file, sync: true, looks: () => true })
  let room = MAX_BYTES - sizeOf(file)
  return {
    write: (line) => {
      sink.write(line)
      room -= Buffer.byteLength(line)
      if (room >= 0) return
      sink.flushSync()
      cut(file)
      sink.reopen()
      room = Math.max(MAX_BYTES - sizeOf(file), RETRY_BYTES)
    },
    flushSync: () => sink.flushSync(),
    close: () => sink.close(),
  }
}

/** Leaves the newest lines. The file is whole at any moment: the shorter one takes its place when it is on the disk. */
function cut(file: string): void {
  const { text, isWhole } = tail(file)
  // What follows the last line break was never finished; what goes before the first may be half of a line.
  const lines = text.split('\n').slice(isWhole ? 0 : 1, -1)
  if (isWhole && lines.length <= KEPT_LINES) return
  const shorter = `${file}.tmp`
  try {
    writeSafely(shorter, newest(lines))
    renameSync(shorter, file)
  } catch {
    // It stays as long as it is, which beats losing it; what was begun is written over by the next attempt.
  }
}

function newest(lines: readonly string[]): string {
  const kept: string[] = []
  let bytes = 0
  for (const line of lines.slice(-KEPT_LINES).reverse()) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > KEPT_BYTES) break
    kept.push(`${line}\n`)
  }
  return kept.reverse().join('')
}

function writeSafely(file: string, text: string): void {
  const fd = openSync(file, 'w', 0o600)
  try {
    writeFileSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

/** The end of the file, and whether that is all of it. */
function tail(file: string): { text: string; isWhole: boolean } {
  let fd: number | undefined
  try {
    fd = openSync(file, 'r')
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES))
    const read = readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    return { text: bytes.toString('utf8', 0, read), isWhole: bytes.length === size }
  } catch {
    // No log yet, or none that can be read: nothing to keep.
    return { text: '', isWhole: true }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
