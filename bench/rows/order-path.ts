import { orders, orderTarget, startDaemon } from '../daemon.js'
import { Floor } from '../floor/floor.js'
import { type Load, LoadClient, type Measured } from '../load/load.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'

const CONNECTIONS = 64
const GOAL = { of: 'ratio', atLeast: 0.6 } as const
const MODES = ['analyze', 'semi_auto'] as const

type Mode = (typeof MODES)[number]
type Round = Record<Mode | 'floor', Measured>

/** placeorder under load, compared with the same stack that only stores the request. */
export const orderPath: Benchmark = {
  name: 'order-path',
  summary: 'placeorder in analyze and semi-auto mode, against the floor',
  async run(run) {
    const rounds = await measure(run)
    return MODES.flatMap((mode) => rowsOf(mode, rounds))
  },
}

/**
 * Measures the floor and both modes in turn, round after round, so that a disturbance of the machine affects
 * all of them.
 */
async function measure(run: Run): Promise<Round[]> {
  const seconds = run.seconds(4, 1.5)
  const floor = await Floor.start(run.folder())
  const client = new LoadClient()
  const daemon = await startDaemon(run.folder())
  try {
    const floorLoad: Load = { ...floor, bodies: orders(daemon.apikey), connections: CONNECTIONS, seconds }
    const orderLoad: Load = { ...orderTarget(daemon), connections: CONNECTIONS, seconds }
    const once = async (): Promise<Round> => {
      const bare = await client.run(floorLoad)
      await daemon.orderMode('auto')
      const analyze = await client.run(orderLoad)
      await daemon.orderMode('semi_auto')
      return { floor: bare, analyze, semi_auto: await client.run(orderLoad) }
    }
    // The first round warms up both processes: their code is compiled while it runs.
    await once()
    const rounds: Round[] = []
    for (let round = 0; round < run.rounds(7, 3); round++) rounds.push(await once())
    return rounds
  } finally {
    client.close()
    floor.stop()
    await daemon.dispose()
  }
}

function rowsOf(mode: Mode, rounds: readonly Round[]): Row[] {
  const over = (figure: (round: Round) => number) => median(rounds.map(figure))
  const latency = (name: 'p50' | 'p99'): Row => ({
    name: `placeorder ${mode}, ${name}`,
    value: over((round) => round[mode].latencies[name]),
    floor: over((round) => round.floor.latencies[name]),
    unit: 'ms',
  })
  return [
    {
      name: `placeorder ${mode}, ${CONNECTIONS} connections`,
      value: over((round) => round[mode].perSecond),
      floor: over((round) => round.floor.perSecond),
      ratio: over((round) => round[mode].perSecond / round.floor.perSecond),
      unit: 'req/s',
      goal: GOAL,
    },
    latency('p50'),
    latency('p99'),
  ]
}
