import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Benchmark, median } from '../run.js'

const BIN = fileURLToPath(new URL('../../bin/svc', import.meta.url))
/** Long enough to collect the garbage of the start. */
const SETTLE_MS = 5_000

/** The time from nothing to ready with every instrument, and the daemon's memory afterwards. */
export const startUp: Benchmark = {
  name: 'start-up',
  summary: 'time to ready and resident memory, with the full instrument set',
  async run(run) {
    const home = run.folder()
    const first = await startAndStop(home)
    const again: { readyMs: number }[] = []
    for (let start = 0; start < run.rounds(7, 3); start++) again.push(await startAndStop(home))
    const { residentMb } = await startAndStop(home, run.pick(SETTLE_MS, 1_000, 300))
    return [
      {
        name: 'start to ready, existing home',
        value: median(again.map(({ readyMs }) => readyMs)),
        unit: 'ms',
        goal: { of: 'value', atMost: 1500 },
      },
      { name: 'first start to ready, instruments generated', value: first.readyMs, unit: 'ms' },
      {
        name: 'resident memory after the start',
        value: residentMb,
        unit: 'MB',
        goal: { of: 'value', atMost: 200 },
      },
    ]
  },
}

/** Starts the daemon, reads its memory `settleMs` after it reported ready, and stops it gracefully. */
async function startAndStop(home: string, settleMs = 0): Promise<{ readyMs: number; residentMb: number }> {
  const startedAt = performance.now()
  const daemon = spawn(process.execPath, [BIN, 'up', '--home', home, '--port', '0', '--ws-port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, HOME: home },
  })
  const exited = once(daemon, 'exit')
  await saysItIsReady(daemon.stdout)
  const readyMs = performance.now() - startedAt
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const residentMb = residentKb(daemon.pid ?? 0) / 1024
  daemon.kill('SIGTERM')
  await exited
  return { readyMs, residentMb }
}

/** Resolves when the daemon prints its address, which it does once it accepts requests. */
async function saysItIsReady(output: Readable): Promise<void> {
  for await (const line of createInterface(output)) if (line.startsWith('http://')) return
  throw new Error('the daemon did not start')
}

function residentKb(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout)
}
