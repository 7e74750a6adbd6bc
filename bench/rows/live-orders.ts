import { readFileSync } from 'node:fs'
import type { DaemonProcess } from '../../test/support/process/daemon-process.js'
import { orderTarget, startDaemon } from '../daemon.js'
import { type Load, LoadClient, type Measured } from '../load/load.js'
import { type Benchmark, median } from '../run.js'

const MANY = 32
const LATENCY_GOAL = { of: 'ratio', atMost: 3 } as const
const RATE_GOAL = { of: 'ratio', atLeast: 0.2 } as const

type Round = Record<'live' | 'analyze', { one: Measured; many: Measured; cpuMs: number }>

/** Live orders at the simulated broker, beside the same orders in Analyzer mode of the same daemon. */
export const liveOrders: Benchmark = {
  name: 'live-orders',
  summary: 'live placeorder at the simulated broker, beside Analyzer mode',
  async run(run) {
    const daemon = await startDaemon(run.folder())
    const client = new LoadClient()
    const load: Omit<Load, 'connections'> = { ...orderTarget(daemon), seconds: run.seconds(3, 1.5) }
    const inMode = async (isAnalyze: boolean) => {
      await daemon.analyze(isAnalyze)
      const one = await client.run({ ...load, connections: 1 })
      const before = processorMs(daemon)
      const many = await client.run({ ...load, connections: MANY })
      return { one, many, cpuMs: (processorMs(daemon) - before) / many.requests }
    }
    try {
      const rounds: Round[] = []
      for (let round = 0; round <= run.rounds(7, 3); round++) {
        rounds.push({ analyze: await inMode(true), live: await inMode(false) })
      }
      // The first round warms up.
      const over = (figure: (round: Round) => number) => median(rounds.slice(1).map(figure))
      return [
        {
          name: 'live placeorder, 1 connection, p50',
          value: over(({ live }) => live.one.latencies.p50),
          floor: over(({ analyze }) => analyze.one.latencies.p50),
          ratio: over(({ analyze, live }) => live.one.latencies.p50 / analyze.one.latencies.p50),
          unit: 'ms',
          goal: LATENCY_GOAL,
        },
        {
          name: `live placeorder, ${MANY} connections`,
          value: over(({ live }) => live.many.perSecond),
          floor: over(({ analyze }) => analyze.many.perSecond),
          ratio: over(({ analyze, live }) => live.many.perSecond / analyze.many.perSecond),
          unit: 'req/s',
          goal: RATE_GOAL,
        },
        {
          name: `live placeorder, ${MANY} connections, p99`,
          value: over(({ live }) => live.many.latencies.p99),
          floor: over(({ analyze }) => analyze.many.latencies.p99),
          unit: 'ms',
        },
        {
          name: `live placeorder, ${MANY} connections, processor time of the daemon`,
          value: over(({ live }) => live.cpuMs),
          floor: over(({ analyze }) => analyze.cpuMs),
          unit: 'ms',
        },
      ]
    } finally {
      client.close()
      await daemon.dispose()
    }
  },
}

/** The length of a tick of the kernel's clock, in which it counts the time of processes. */
const TICK_MS = 10

/** Returns the processor time of a daemon so far, on all threads. It depends less on other load than a latency does. */
function processorMs({ pid }: DaemonProcess): number {
  // The name of the program, in brackets, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
