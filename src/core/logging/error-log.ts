import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type LogSink, openSink } from './sink.js'

const ERROR_LOG = 'errors.jsonl'
/** Lines kept when the service starts. */
const KEPT_LINES = 1000
/** Bytes of the file's end that are looked at; older lines are given up. */
const MAX_READ_BYTES = 10 * 1024 * 1024

/**
 * Opens the JSON Lines error log, cut to its newest lines so that it never grows without end. A file that is removed
 * or put aside while the service runs is made anew with the next line.
 */
export function openErrorLog(dir: string): LogSink {
  const file = join(dir, ERROR_LOG)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  shorten(file)
  const open = () => openSink({ dest: file, sync: true })
  let sink = open()
  let opened = identityOf(file)
  return {
    write: (line) => {
      if (identityOf(file) !== opened) {
        void sink.close()
        makeFolder(dir)
        sink = open()
        opened = identityOf(file)
      }
      sink.write(line)
    },
    flushSync: () => sink.flushSync(),
    close: () => sink.close(),
  }
}

function shorten(file: string): void {
  const lines = tail(file).split('\n').slice(0, -1)
  if (lines.length <= KEPT_LINES) return
  const shorter = `${file}.tmp`
  writeFileSync(shorter, `${lines.slice(-KEPT_LINES).join('\n')}\n`, { mode: 0o600 })
  renameSync(shorter, file)
}

/** Which file stands under a path; undefined when none does. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch {
    // Then the file cannot be opened either, which is tried again with the next line.
  }
}

function tail(file: string): string {
  let fd: number | undefined
  try {
    fd = openSync(file, 'r')
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, MAX_READ_BYTES))
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, size - bytes.length))
  } catch {
    // No log yet, or none that can be read: nothing to keep.
    return ''
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
