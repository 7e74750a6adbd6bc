import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from './temp.js'

/** Returns a workflow file that writes a line every morning. */
export const flow = (message: string, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}name: Note
nodes:
  go:
    type: start
    with: {scheduleType: daily, time: "09:31"}
    next: say
  say:
    type: log
    with: {message: ${message}}
`

/** Returns a strategy file. */
export const straddle = (name: string, id: string) =>
  `id: ${id}\nname: ${name}\n` +
  'strategy_kind: signal\nstrategy_type: positional\nproduct: MIS\nunderlying: SBIN\nunderlying_exchange: NSE\n' +
  'legs:\n  - {symbol: SBIN, exchange: NSE, segment: cash, qty: 10}\n'

/** A folder of files, which may be a git repository. */
export class Files {
  readonly folder = tempDir()

  write(name: string, text: string): string {
    const path = join(this.folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  remove(name: string): void {
    rmSync(join(this.folder, name))
  }

  git(...words: string[]): string {
    const own = ['-c', 'user.name=asha', '-c', 'user.email=asha@example.com', '-c', 'commit.gpgsign=false']
    return execFileSync('git', ['-C', this.folder, ...own, ...words], { encoding: 'utf8' }).trim()
  }

  commit(): string {
    this.git('init', '-q')
    this.git('add', '-A')
    this.git('commit', '-qm', 'change', '--allow-empty')
    return this.git('rev-parse', 'HEAD')
  }
}
