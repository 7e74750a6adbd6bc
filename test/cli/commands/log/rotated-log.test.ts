import {
  appendFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RotatedLog } from '../../../../src/cli/commands/log/files/rotated-log.js'
import { tempDir } from '../../../support/files/temp.js'

const LONG = 'é'.repeat(40_000)

/** A folder with log files, of which the tests write and rotate some. */
class Files {
  readonly dir = tempDir()

  add(name: string, ...lines: string[]): void {
    appendFileSync(join(this.dir, name), lines.map((line) => `${line}\n`).join(''))
  }

  path(name: string): string {
    return join(this.dir, name)
  }

  open(): RotatedLog {
    return new RotatedLog(() =>
      readdirSync(this.dir)
        .sort()
        .map((name) => join(this.dir, name)),
    )
  }

  /** A log that is one file, which may be missing. */
  openOne(name: string): RotatedLog {
    return new RotatedLog(() => [this.path(name)].filter((path) => existsSync(path)))
  }
}

describe('lines backwards', () => {
  it('come newest first, over all files, with lines longer than a chunk whole', () => {
    const files = new Files()
    files.add('1.log', 'a', 'b')
    files.add('2.log', 'c', LONG, '', 'd', LONG)
    expect([...files.open().backwards()]).toEqual([LONG, 'd', LONG, 'c', 'b', 'a'])
  })

  it('exclude an unfinished line, which is new once it is finished', () => {
    const files = new Files()
    files.add('1.log', 'a')
    appendFileSync(files.path('1.log'), 'half')
    const log = files.open()
    expect([...log.backwards()]).toEqual(['a'])
    expect(log.newer()).toEqual([])
    files.add('1.log', ' and whole', 'b')
    expect(log.newer()).toEqual(['half and whole', 'b'])
  })

  it('read only the end of a large file when few are wanted', () => {
    const files = new Files()
    files.add('1.log', 'first')
    truncateSync(files.path('1.log'), 8 * 1024 ** 3)
    files.add('1.log', '', 'last')
    for (const line of files.open().backwards()) {
      expect(line).toBe('last')
      break
    }
  })

  it('are none without a file', () => {
    const log = new Files().open()
    expect([...log.backwards()]).toEqual([])
    expect(log.newer()).toEqual([])
  })
})

describe('newer lines', () => {
  it('continue in the next file, also when a last line reaches the former one', () => {
    const files = new Files()
    files.add('1.log', 'a')
    const log = files.open()
    files.add('1.log', 'b')
    files.add('2.log', 'c')
    files.add('3.log', 'd')
    expect(log.newer()).toEqual(['b', 'c', 'd'])
    files.add('3.log', 'e')
    expect(log.newer()).toEqual(['e'])
    expect(log.newer()).toEqual([])
  })

  it('begin with the first file that appears', () => {
    const files = new Files()
    const log = files.open()
    files.add('1.log', 'a')
    expect(log.newer()).toEqual(['a'])
  })

  it('continue after the last line seen when the file is replaced by its own end', () => {
    const files = new Files()
    files.add('errors', 'a', 'b', 'c')
    const log = files.openOne('errors')
    writeFileSync(files.path('errors.tmp'), 'b\nc\nd\n')
    renameSync(files.path('errors.tmp'), files.path('errors'))
    expect(log.newer()).toEqual(['d'])
    files.add('errors', 'e')
    expect(log.newer()).toEqual(['e'])
  })

  it('lose nothing that reaches the old file just before it is replaced', () => {
    const files = new Files()
    files.add('errors', 'a')
    const log = files.openOne('errors')
    files.add('errors', 'b')
    writeFileSync(files.path('errors.tmp'), 'b\nc\n')
    renameSync(files.path('errors.tmp'), files.path('errors'))
    expect(log.newer()).toEqual(['b', 'c'])
  })

  it('start again in a file that is deleted and created anew, or emptied in place', () => {
    const files = new Files()
    files.add('errors', 'a', 'b')
    const log = files.openOne('errors')
    rmSync(files.path('errors'))
    expect(log.newer()).toEqual([])
    files.add('errors', 'c')
    expect(log.newer()).toEqual(['c'])
    truncateSync(files.path('errors'), 0)
    expect(log.newer()).toEqual([])
    files.add('errors', 'd')
    expect(log.newer()).toEqual(['d'])
  })
})
