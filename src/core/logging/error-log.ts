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

/** The name of the error log in the folder of the logs. */
export const ERROR_LOG = 'errors.jsonl'
/** The number of lines that remain after trimming, at start and when the file is too long. */
const KEPT_LINES = 1000
/**
 * The file size in bytes that triggers trimming while the service runs. Only this many bytes at the end of a
 * file are read.
 */
export const MAX_BYTES = 10 * 1024 * 1024
/** The maximum size in bytes after trimming, so that a file with long lines is not trimmed again at once. */
const KEPT_BYTES = MAX_BYTES / 2
/** The number of bytes written before a failed trim is retried. */
const RETRY_BYTES = 1024 * 1024

/**
 * Opens the JSON Lines error log. The log is trimmed to its newest lines at start and whenever it exceeds 10
 * MB. If the file is deleted or moved while the service runs, the next line creates it again.
 */
export function openErrorLog(dir: string): LogSink {
  const file = join(dir, ERROR_LOG)
  trim(file)
  const sink = new FileSink({ file, sync: true, shouldCheckFile: () => true })
  let room = MAX_BYTES - sizeOf(file)
  return {
    write: (line) => {
      sink.write(line)
      room -= Buffer.byteLength(line)
      if (room >= 0) return
      sink.flushSync()
      trim(file)
      sink.reopen()
      room = Math.max(MAX_BYTES - sizeOf(file), RETRY_BYTES)
    },
    flushSync: () => sink.flushSync(),
    close: () => sink.close(),
  }
}

/**
 * Keeps only the newest lines. The shorter file replaces the log only after it is on disk, so the log is
 * complete at any moment.
 */
function trim(file: string): void {
  const { text, isWhole } = tail(file)
  // The text after the last line break is an unfinished line. If the start of the file was not read, the text
  // before the first line break may be half a line.
  const lines = text.split('\n').slice(isWhole ? 0 : 1, -1)
  if (isWhole && lines.length <= KEPT_LINES) return
  const shorter = `${file}.tmp`
  try {
    writeSafely(shorter, newest(lines))
    renameSync(shorter, file)
  } catch {
    // The log keeps its length, which is better than losing it. The next attempt overwrites the temporary
    // file.
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

/** Returns the end of the file, and whether it is the whole file. */
function tail(file: string): { text: string; isWhole: boolean } {
  let fd: number | undefined
  try {
    fd = openSync(file, 'r')
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES))
    const read = readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    return { text: bytes.toString('utf8', 0, read), isWhole: bytes.length === size }
  } catch {
    // The log does not exist or cannot be read, so there is nothing to keep.
    return { text: '', isWhole: true }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
