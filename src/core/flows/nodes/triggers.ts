import {
  checkOrderUpdate,
  checkPriceAlert,
  checkSchedule,
  MISSED_RUNS,
  type PriceLevels,
  priceMeetsAtOnce,
  readPriceAlert,
  triggerPriceOf,
  WATCH_STATUSES,
} from '../triggers/index.js'
import { decided, defineNode, type NodeDefinition, type NodeRun, undecided, word } from './definition.js'
import type { Field } from './field.js'
import { exchangeField, rowsOf, symbolField } from './shared.js'

/** How workflows begin (contract, flow section 2.1). Their fields are read when they are armed, never interpolated. */

const trigger = { family: 'trigger', effect: 'trigger' } as const

/** A beginning that only says so. */
function begins(text: string) {
  return (run: NodeRun): undefined => {
    run.log(text)
  }
}

const repeatField = {
  kind: 'text',
  default: 'once',
  choices: ['once', 'every_time'],
  literal: true,
  description: 'Whether it fires once, which deactivates the workflow, or every time.',
} as const satisfies Field

/** An exchange that is no more than a hint or a filter. */
const looseExchange = { ...exchangeField, required: false, literal: true } as const satisfies Field

const start = defineNode({
  ...trigger,
  type: 'start',
  summary: 'Starts the workflow by the clock of India, or by hand.',
  fields: {
    scheduleType: {
      kind: 'text',
      default: 'manual',
      literal: true,
      description: 'One of manual, daily, weekly, interval and once.',
    },
    time: {
      kind: 'time',
      default: '09:15',
      literal: true,
      description: 'Time of day of daily and weekly schedules, HH:MM.',
    },
    days: {
      kind: 'json',
      literal: true,
      description: 'Days of a weekly schedule, 0 (Monday) to 6 (Sunday).',
    },
    executeAt: {
      kind: 'text',
      literal: true,
      description: 'ISO 8601 date and time of a single run; a date alone means that day at `time`.',
    },
    intervalValue: { kind: 'integer', default: 1, literal: true, description: 'Length of an interval.' },
    intervalUnit: {
      kind: 'text',
      default: 'minutes',
      literal: true,
      description: 'Unit of an interval: seconds, minutes or hours.',
    },
    marketHoursOnly: {
      kind: 'flag',
      default: false,
      literal: true,
      description: 'Skips scheduled runs outside the hours of the exchange.',
    },
    marketHoursExchange: {
      ...looseExchange,
      description: 'Exchange whose hours count.',
    },
    marketHoursStart: {
      kind: 'time',
      literal: true,
      description: 'Begins the hours at another time, HH:MM.',
    },
    marketHoursEnd: { kind: 'time', literal: true, description: 'Ends the hours at another time, HH:MM.' },
    missedRuns: {
      kind: 'text',
      default: 'skip',
      choices: MISSED_RUNS,
      literal: true,
      description: 'What becomes of a run that is more than a minute late.',
    },
  },
  check: (data, strict) => (strict ? checkSchedule(data) : []),
  run: begins('Workflow started'),
})

const webhookTrigger = defineNode({
  ...trigger,
  type: 'webhookTrigger',
  summary: 'Starts the workflow when its webhook is called; the body is in `{{webhook.*}}`.',
  fields: {
    label: { kind: 'text', literal: true, description: 'Name for people.' },
    symbol: { kind: 'text', literal: true, description: 'Symbol the callers mean; not enforced.' },
    exchange: { ...looseExchange, description: 'Exchange the callers mean; not enforced.' },
  },
  run: begins('Webhook trigger activated'),
})

const priceAlert = defineNode({
  ...trigger,
  type: 'priceAlert',
  summary: 'Starts the workflow when a price meets a condition; run by hand, it asks for the price at once.',
  branching: true,
  storesOutput: true,
  fields: {
    symbol: { ...symbolField, literal: true },
    exchange: { ...exchangeField, literal: true },
    condition: {
      kind: 'text',
      required: true,
      default: 'greater_than',
      literal: true,
      description:
        'greater_than, less_than, crossing, crossing_up, crossing_down, entering_channel, inside_channel, exiting_channel, outside_channel, moving_up, moving_down, moving_up_percent or moving_down_percent.',
    },
    price: { kind: 'number', literal: true, description: 'Target of conditions on one price.' },
    priceLower: { kind: 'number', literal: true, description: 'Lower end of a channel.' },
    priceUpper: { kind: 'number', literal: true, description: 'Upper end of a channel.' },
    percentage: { kind: 'number', literal: true, description: 'Least move since the last look, in percent.' },
    trigger: repeatField,
    expiration: {
      kind: 'text',
      default: 'none',
      choices: ['none', '1h', '4h', '1d', '1w'],
      literal: true,
      description: 'How long the alert lives from its activation.',
    },
    message: { kind: 'text', literal: true, description: 'Text for people.' },
  },
  output: { ltp: 'Price that was compared.', condition_met: 'Whether it met the condition.' },
  check: (data, strict) => (strict ? checkPriceAlert(data) : []),
  run: async (run) => {
    const fired = triggerPriceOf(run.getVariable('webhook'))
    if (fired !== undefined) return decided(true, { ltp: fired, condition_met: true })
    const { value: alert, problems } = readPriceAlert(savedAlert(run))
    if (!alert) return undecided(problems[0]?.message ?? 'Invalid price alert')
    const quote = await run.read('quotes', { symbol: alert.symbol, exchange: alert.exchange })
    if (quote.status === 'error') return undecided(quote.message ?? 'No quote')
    const ltp = Number(rowsOf([quote.data])[0]?.ltp)
    if (!(ltp > 0)) return undecided(`No price for ${alert.symbol} on ${alert.exchange}`)
    return answer(run, alert, ltp)
  },
})

type AlertField = 'symbol' | 'exchange' | 'condition' | 'price' | 'priceLower' | 'priceUpper' | 'percentage'
const ALERT_FIELDS: readonly AlertField[] = [
  'symbol',
  'exchange',
  'condition',
  'price',
  'priceLower',
  'priceUpper',
  'percentage',
]

function savedAlert(run: NodeRun<AlertField>) {
  return Object.fromEntries(ALERT_FIELDS.map((field) => [field, run.raw(field)]))
}

/** Of a price alert, as much as comparing takes. */
interface Alert {
  symbol: string
  levels: PriceLevels
}

function answer(run: Pick<NodeRun, 'log'>, { symbol, levels }: Alert, ltp: number) {
  try {
    const met = priceMeetsAtOnce(levels, ltp)
    const { condition, ...limits } = levels
    const right = Object.values(limits).filter((limit) => limit !== undefined)
    run.log(`${symbol} ltp: ${ltp} ${[condition, right.join(' to ')].join(' ').trim()} -> ${word(met)}`)
    return decided(met, { ltp, condition_met: met })
  } catch (error) {
    return undecided(error instanceof Error ? error.message : String(error), { ltp })
  }
}

const orderUpdateTrigger = defineNode({
  ...trigger,
  type: 'orderUpdateTrigger',
  summary: 'Starts the workflow when an order of the account changes; the event is in `{{webhook.*}}`.',
  fields: {
    orderId: { kind: 'text', literal: true, description: 'Only this order.' },
    symbol: { kind: 'text', literal: true, description: 'Only orders in this symbol.' },
    exchange: {
      kind: 'text',
      choices: exchangeField.choices,
      literal: true,
      description: 'Only orders on this exchange; blank means any.',
    },
    status: {
      kind: 'text',
      default: 'complete',
      literal: true,
      description: `Only this status, of ${WATCH_STATUSES.join(', ')}.`,
    },
    trigger: repeatField,
  },
  check: (data, strict) => (strict ? checkOrderUpdate(data) : []),
  run: begins('Order-update trigger activated'),
})

export const TRIGGER_NODES: readonly NodeDefinition[] = [
  start,
  webhookTrigger,
  priceAlert,
  orderUpdateTrigger,
]
