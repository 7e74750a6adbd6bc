import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { DaemonProcess } from '../../test/support/process/daemon-process.js'
import { orders, startDaemon } from '../daemon.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run, timed } from '../run.js'

const BIN = fileURLToPath(new URL('../../bin/svc', import.meta.url))
const ORDERS = 10

/** The commands that scripts call must cost little more than the start of Node. */
export const commands: Benchmark = {
  name: 'commands',
  summary: 'svc --version and svc order list, against node -e 0',
  async run(run) {
    const daemon = await startDaemon(run.folder())
    try {
      for (const { apikey: _, ...order } of orders(daemon.apikey).slice(0, ORDERS)) {
        await daemon.api('placeorder', order)
      }
      return [await measure(run, daemon, '--version', 2), await measure(run, daemon, 'order list', 3)]
    } finally {
      await daemon.dispose()
    }
  },
}

/** Returns the time of a command whose output is not a terminal, beside a start of Node that does nothing. */
async function measure(run: Run, daemon: DaemonProcess, words: string, atMost: number): Promise<Row> {
  const env = { PATH: process.env.PATH, HOME: daemon.home, SVC_API_KEY: daemon.apikey, SVC_URL: daemon.url }
  const node = (...args: string[]) =>
    timed(() => {
      const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`)
    })
  const ours: number[] = []
  const bare: number[] = []
  for (let i = 0; i < run.pick(25, 10, 3); i++) {
    bare.push(await node('-e', '0'))
    ours.push(await node(BIN, ...words.split(' ')))
  }
  return {
    name: `svc ${words}`,
    value: median(ours),
    floor: median(bare),
    unit: 'ms',
    goal: { of: 'ratio', atMost },
  }
}
