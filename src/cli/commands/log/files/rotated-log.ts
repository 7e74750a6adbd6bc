import { LineFile } from './line-file.js'

/**
 * A log in one or more files, of which the last one grows. Lines are read from the newest backwards, so the
 * cost depends on the lines that are read and not on the size of the log.
 */
export class RotatedLog {
  readonly #list: () => readonly string[]
  #current: LineFile | undefined
  /** The newest line that was seen, to find the place again in a file that was written anew. */
  #last: string | undefined

  /** @param list returns the paths of the files that exist now, the oldest first */
  constructor(list: () => readonly string[]) {
    this.#list = list
    const path = list().at(-1)
    if (path !== undefined) this.#current = new LineFile(path)
    this.#last = this.#current?.backwards().next().value
  }

  /** Yields the lines that were there at the start, the newest first. */
  *backwards(): Generator<string> {
    const newest = this.#current
    if (!newest) return
    yield* newest.backwards()
    const older = this.#list().filter((path) => path < newest.path)
    for (const path of older.reverse()) {
      const file = new LineFile(path)
      try {
        yield* file.backwards()
      } finally {
        file.close()
      }
    }
  }

  /**
   * Returns the lines written since the last call, the oldest first. It continues in the next file when the
   * log is rotated, and after the last line seen when a file is replaced by a shorter one.
   */
  newer(): string[] {
    const lines = this.#current?.newer() ?? []
    if (this.#current?.isReplaced()) lines.push(...this.#current.newer(), ...this.#reopened(lines.at(-1)))
    const after = this.#current?.path ?? ''
    for (const path of this.#list().filter((path) => path > after)) {
      // A writer may have added to the former file before it opened this one.
      lines.push(...(this.#current?.newer() ?? []))
      this.#open(path)
      lines.push(...(this.#current?.newer() ?? []))
    }
    this.#last = lines.at(-1) ?? this.#last
    return lines
  }

  close(): void {
    this.#current?.close()
    this.#current = undefined
  }

  #reopened(last = this.#last): string[] {
    const path = this.#current?.path
    if (path === undefined || !this.#list().includes(path)) return []
    this.#open(path)
    const lines = this.#current?.newer() ?? []
    return last === undefined ? lines : lines.slice(lines.lastIndexOf(last) + 1)
  }

  #open(path: string): void {
    this.#current?.close()
    this.#current = new LineFile(path, 0)
  }
}
