import { addDays, istDate } from '../../../time/index.js'
import { defineNode, NodeError, type NodeRun, succeeded } from '../definition.js'
import { DATE, INTERVAL } from '../form.js'
import { list, number, numbers, object, optionals } from '../output.js'
import { barFields, MAX_BARS, OHLCV_OUTPUT, readBars, symbolOf, windowDays } from './read-bars.js'

/** Returns the date in a field; undefined if the field is blank. */
function dateOf<K extends string>(run: NodeRun<K>, field: K): string | undefined {
  if (run.blank(field)) return undefined
  const text = run.text(field).trim()
  if (DATE.accepts(text)) return text
  throw new NodeError(`${field} must be YYYY-MM-DD, got '${text}'`)
}

export const history = defineNode({
  type: 'history',
  family: 'data',
  effect: 'market',
  storesOutput: true,
  summary: 'Reads the bars of a symbol, at most the newest 200.',
  fields: {
    symbol: barFields.symbol,
    exchange: barFields.exchange,
    interval: {
      kind: 'text',
      required: true,
      default: '5m',
      form: INTERVAL,
      description: 'Bar interval, one that the intervals node lists.',
    },
    startDate: { kind: 'text', form: DATE, description: 'First day, YYYY-MM-DD.' },
    endDate: { kind: 'text', form: DATE, description: 'Last day, YYYY-MM-DD. Default: today.' },
    days: {
      kind: 'integer',
      default: 0,
      min: 0,
      description: 'Days before the last day, if there is no first day. 0 means enough days for 200 bars.',
    },
    source: barFields.source,
  },
  output: {
    data: list(
      object({ timestamp: number(), ...OHLCV_OUTPUT, ...optionals(numbers('oi')) }),
      'Bars, oldest first; timestamp is in epoch seconds.',
    ),
  },
  run: async (run) => {
    const interval = run.text('interval').trim()
    const days = run.integer('days')
    const to = dateOf(run, 'endDate') ?? istDate(run.ports.clock.now())
    const widest = windowDays(MAX_BARS, interval)
    const firstDate = dateOf(run, 'startDate') ?? addDays(to, -(days > 0 ? Math.min(days, widest) : widest))
    if (firstDate > to) throw new NodeError(`startDate ${firstDate} is after endDate ${to}`)
    const earliest = addDays(to, -widest)
    const bars = await readBars(run, {
      symbol: symbolOf(run),
      exchange: run.text('exchange'),
      source: run.text('source'),
      interval,
      from: firstDate > earliest ? firstDate : earliest,
      to,
    })
    return succeeded({ data: bars.slice(-MAX_BARS) })
  },
})
