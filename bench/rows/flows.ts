import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { silentLogger } from '../../src/core/logging/index.js'
import { loadFlows, loadSecrets, loadStorage, loadTime } from '../compiled.js'
import { TEN_NODES, tenCalls } from '../flows/graph.js'
import { noPorts } from '../flows/ports.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'

/** The number of workflows that run at the same time. */
const WIDTH = 256
const NODE_RED_GOAL = { of: 'ratio', atLeast: 2 } as const
/** The folder of the Node-RED installation, if the benchmark compares with Node-RED. */
const NODE_RED = process.env.SVC_BENCH_NODE_RED
const NODE_RED_FLOW = fileURLToPath(new URL('../flows/node-red.cjs', import.meta.url))

/** Runs of a workflow that never leaves the process. */
export const flows: Benchmark = {
  name: 'flows',
  summary: `a workflow of ten nodes, beside plain calls and, with SVC_BENCH_NODE_RED=<folder>, Node-RED`,
  async run(run) {
    const rounds: { calls: number; walked: number; stored: number }[] = []
    const stored = await StoredRuns.open(run.folder())
    try {
      for (let round = 0; round <= run.rounds(5, 2); round++) {
        const figures = {
          calls: callsASecond(run),
          walked: await walksASecond(run),
          stored: await stored.perSecond(run.pick(3000, 1000, 300)),
        }
        // The first round warms up.
        if (round > 0) rounds.push(figures)
      }
    } finally {
      await stored.close()
    }
    const over = (name: 'calls' | 'walked' | 'stored') => median(rounds.map((round) => round[name]))
    const beside = await nodeRed(run)
    return [
      { name: 'flow of 10 nodes, walked', value: over('walked'), floor: over('calls'), unit: 'runs/s' },
      {
        name: `flow of 10 nodes, stored, ${WIDTH} at a time${beside === undefined ? '' : ', beside Node-RED'}`,
        value: over('stored'),
        unit: 'runs/s',
        ...(beside !== undefined && { floor: beside, goal: NODE_RED_GOAL }),
      },
    ] satisfies Row[]
  },
}

function callsASecond(run: Run): number {
  const count = run.pick(200_000, 50_000, 10_000)
  const startedAt = performance.now()
  for (let call = 0; call < count; call++) tenCalls()
  return (count * 1000) / (performance.now() - startedAt)
}

async function walksASecond(run: Run): Promise<number> {
  const [{ runGraph }, { SystemClock }] = [await loadFlows(), await loadTime()]
  const ports = noPorts(new SystemClock())
  const count = run.pick(30_000, 10_000, 2_000)
  const startedAt = performance.now()
  for (let one = 0; one < count; one++) {
    const outcome = await runGraph({
      runId: String(one),
      workflowName: 'Ten nodes',
      graph: TEN_NODES,
      userId: 'bench',
      ports,
    })
    if (outcome.status !== 'completed') throw new Error(outcome.error)
  }
  return (count * 1000) / (performance.now() - startedAt)
}

/** Runs that each store a row; a run counts as done when its row is durable. */
class StoredRuns {
  private constructor(
    readonly perSecond: (ms: number) => Promise<number>,
    readonly close: () => Promise<void>,
  ) {}

  static async open(home: string): Promise<StoredRuns> {
    const [{ Flows }, { Database }, { SecretBox }, { SystemClock }] = await Promise.all([
      loadFlows(),
      loadStorage(),
      loadSecrets(),
      loadTime(),
    ])
    const db = await Database.open({ file: join(home, 'svc.db'), schema: 'svc' })
    const clock = new SystemClock()
    const flows = await Flows.open({
      db,
      box: await SecretBox.derive({ appKey: 'benchmark', salt: 'benchmark' }),
      clock,
      log: silentLogger,
      ports: noPorts(clock),
      planner: () => {
        throw new Error('nothing is planned here')
      },
      mode: () => 'analyze',
      env: {},
      prices: { broker: () => 'simulated', lastTick: () => undefined, quote: async () => new Map() },
      pin: () => () => true,
      verifyKey: async () => 'bench',
      keepRuns: 500,
      keepDays: 30,
      publish: () => undefined,
    })
    const caller = { username: 'bench', apiKey: 'key' }
    const ids: number[] = []
    for (let one = 0; one < WIDTH; one++) {
      ids.push((await flows.create({ name: `Ten nodes ${one}`, ...TEN_NODES }, 'bench')).id)
    }
    const perSecond = async (ms: number) => {
      const startedAt = performance.now()
      const until = startedAt + ms
      const counts = await Promise.all(
        ids.map(async (id) => {
          let count = 0
          for (; performance.now() < until; count++) {
            const reply = await flows.execute(id, caller)
            if (reply.kind !== 'finished' || reply.outcome.status !== 'completed') throw new Error(reply.kind)
          }
          return count
        }),
      )
      const runs = counts.reduce((sum, count) => sum + count, 0)
      return (runs * 1000) / (performance.now() - startedAt)
    }
    return new StoredRuns(perSecond, async () => {
      await flows.stop()
      await db.close()
    })
  }
}

/** Returns the messages per second through the same ten nodes; undefined without Node-RED. */
async function nodeRed(run: Run): Promise<number | undefined> {
  if (NODE_RED === undefined) return undefined
  const { stdout } = await promisify(execFile)(process.execPath, [
    NODE_RED_FLOW,
    NODE_RED,
    run.folder(),
    String(WIDTH),
    String(run.pick(6, 2)),
  ])
  const measured: { perSecond: number } = JSON.parse(stdout)
  return measured.perSecond
}
