import type { DaemonProcess } from '../../test/support/process/daemon-process.js'
import { startDaemon } from '../daemon.js'
import { AnswerFloor } from '../floor/answers.js'
import { LoadClient } from '../load/load.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'

const CONNECTIONS = 8
const STRIKES_EACH_SIDE = 20
const QUOTES = 200
const RATES = 500
const DAY_MS = 86_400_000

/** A market data query, and a check that its answer is the one to measure. */
interface Question {
  name: string
  path: string
  /** The bodies, in turn. The first one is checked. */
  bodies: readonly Record<string, unknown>[]
  /** The least ratio to the floor. */
  goal: number
  isWhole(answer: Record<string, unknown>): boolean
}

/** Market data over HTTP, from the embedded market. */
export const questions: Benchmark = {
  name: 'questions',
  summary: 'option chain, history and quotes over HTTP, beside the same bytes sent ready made',
  async run(run) {
    // Days of market hours only, so that a day of bars has its usual length.
    const daemon = await startDaemon(run.folder(), { SIM_SESSIONS: 'market' })
    const floor = await AnswerFloor.start()
    const client = new LoadClient()
    try {
      const rows: Row[] = []
      for (const question of await questionsFor(daemon)) {
        rows.push(await measure(question, { daemon, floor, client, run }))
      }
      return rows
    } finally {
      client.close()
      floor.stop()
      await daemon.dispose()
    }
  },
}

async function questionsFor(daemon: DaemonProcess): Promise<Question[]> {
  const { body: expiries } = await daemon.api<{ data: string[] }>('expiry', {
    symbol: 'NIFTY',
    exchange: 'NFO',
    instrumenttype: 'options',
  })
  const { body: listed } = await daemon.request<{ data: { symbol: string }[] }>(
    'GET',
    `/api/v1/instruments?apikey=${daemon.apikey}&exchange=NSE`,
  )
  const symbols = listed.data.slice(0, QUOTES).map(({ symbol }) => ({ symbol, exchange: 'NSE' }))
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10)
  const chain = {
    underlying: 'NIFTY',
    exchange: 'NSE_INDEX',
    expiry_date: String(expiries.data[0]).replaceAll('-', ''),
    strike_count: STRIKES_EACH_SIDE,
    with_greeks: true,
  }
  return [
    {
      name: 'optionchain with Greeks, 40 strikes',
      path: 'optionchain',
      bodies: [chain],
      goal: 0.25,
      isWhole: isWholeChain,
    },
    {
      name: 'the same with nothing remembered',
      path: 'optionchain',
      // Another interest rate is another calculation, and more rates than the daemon keeps chains.
      bodies: Array.from({ length: RATES }, (_, rate) => ({ ...chain, interest_rate: (rate * 20) / RATES })),
      goal: 0.1,
      isWhole: isWholeChain,
    },
    {
      name: 'history, 5 days of 1-minute bars',
      path: 'history',
      bodies: [{ symbol: 'SBIN', exchange: 'NSE', interval: '1m', start_date: day(8), end_date: day(2) }],
      goal: 2,
      isWhole: ({ data }) => Array.isArray(data) && data.length >= 3 * 375,
    },
    {
      name: `multiquotes of ${QUOTES}`,
      path: 'multiquotes',
      bodies: [{ symbols }],
      goal: 0.35,
      isWhole: ({ results }) => Array.isArray(results) && results.length === QUOTES,
    },
  ]
}

const isWholeChain: Question['isWhole'] = ({ chain }) =>
  Array.isArray(chain) && chain.length >= STRIKES_EACH_SIDE * 2

interface Bench {
  daemon: DaemonProcess
  floor: AnswerFloor
  client: LoadClient
  run: Run
}

async function measure(question: Question, { daemon, floor, client, run }: Bench): Promise<Row> {
  const { body, text } = await daemon.api(question.path, question.bodies[0] ?? {})
  if (!question.isWhole(body)) throw new Error(`${question.path} answered ${text.slice(0, 300)}`)
  await floor.say(text)
  const load = {
    bodies: question.bodies.map((one) => ({ apikey: daemon.apikey, ...one })),
    connections: CONNECTIONS,
    seconds: run.seconds(2.5, 1),
  }
  const asked = { ...load, port: Number(new URL(daemon.url).port), path: `/api/v1/${question.path}` }
  const rounds: { value: number; floor: number }[] = []
  // The first round warms up.
  for (let round = 0; round <= run.rounds(5, 2); round++) {
    const bare = await client.run({ ...load, port: floor.port, path: floor.path })
    const { perSecond } = await client.run(asked)
    if (round > 0) rounds.push({ value: perSecond, floor: bare.perSecond })
  }
  return {
    name: question.name,
    value: median(rounds.map(({ value }) => value)),
    floor: median(rounds.map((round) => round.floor)),
    ratio: median(rounds.map((round) => round.value / round.floor)),
    unit: 'req/s',
    goal: { of: 'ratio', atLeast: question.goal },
  }
}
