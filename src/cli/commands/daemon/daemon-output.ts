import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { homeFile, makeHome } from '../../io/home.js'

/** A file that a start finds longer than this makes room for a new one. */
const LARGE_BYTES = 10_000_000
/** The end of the output that is read: far more than the message of a failed start. */
const TAIL_BYTES = 65_536

/**
 * Returns the files with the output of the daemons that `svc up --detach` has started, the oldest first. Their names sort like
 * their age.
 */
export const outputFiles = (home: string): string[] =>
  ['daemon.1.out', 'daemon.out'].map((name) => join(homeFile(home, 'log'), name))

/** The output of one daemon in the background, which it appends to `daemon.out`. */
export class DaemonOutput {
  private constructor(
    readonly file: string,
    /** The open file, for the daemon to write to. */
    readonly fd: number,
    /** The length of what earlier daemons have written. */
    private readonly earlier: number,
  ) {}

  /** Opens the file for a daemon that is about to start. A large one becomes the former one, which is replaced. */
  static open(home: string): DaemonOutput {
    makeHome(homeFile(home, 'log'))
    const [former = '', file = ''] = outputFiles(home)
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGE_BYTES) renameSync(file, former)
    const fd = openSync(file, 'a+', 0o600)
    return new DaemonOutput(file, fd, fstatSync(fd).size)
  }

  /** Returns the last lines that this daemon has written. */
  lines(): string[] {
    const { size } = fstatSync(this.fd)
    const from = Math.max(this.earlier, size - TAIL_BYTES)
    const bytes = Buffer.alloc(Math.max(0, size - from))
    const text = bytes.toString('utf8', 0, readSync(this.fd, bytes, 0, bytes.length, from))
    // A text that begins within a line has only its end.
    return text
      .trimEnd()
      .split('\n')
      .slice(from > this.earlier ? 1 : 0)
  }

  close(): void {
    closeSync(this.fd)
  }
}
