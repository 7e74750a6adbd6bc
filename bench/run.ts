import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Row } from './report.js'

/** One benchmark: its name on the command line, and its measurement. */
export interface Benchmark {
  name: string
  summary: string
  run(run: Run): Promise<Row[]>
}

/** How much a run measures: a look takes a minute, the usual run six, a long one an hour, with a million rows. */
export type Pace = 'quick' | 'usual' | 'long'

/** The tools that benchmarks share: the time they may take, and temporary folders. */
export class Run {
  readonly #folders: string[] = []

  constructor(readonly pace: Pace) {}

  /** Returns the value for the pace of this run. */
  pick<T>(long: T, usual: T, quick: T = usual): T {
    return { long, usual, quick }[this.pace]
  }

  /** Returns the number of rounds after those that warm up; a quick run has one. */
  rounds(long: number, usual: number): number {
    return this.pick(long, usual, 1)
  }

  /** Returns the duration of one measurement in seconds; that of a quick run is a third of the usual one. */
  seconds(long: number, usual: number): number {
    return this.pick(long, usual, usual / 3)
  }

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    this.#folders.push(folder)
    return folder
  }

  dispose(): void {
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Returns the milliseconds that `work` took. */
export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
