import { interpolatedText } from '../language/interpolation.js'
import type { Body } from '../ports.js'
import {
  CONDITION_NAMES,
  canonicalCondition,
  checkOrderUpdate,
  checkPriceAlert,
  checkSchedule,
  INTERVAL_UNITS,
  MISSED_RUNS,
  type PriceLevels,
  priceMeetsAtOnce,
  readPriceAlert,
  SCHEDULE_TYPES,
  triggerPriceOf,
  WATCH_STATUSES,
} from '../triggers/index.js'
import {
  booleanText,
  decided,
  defineNode,
  type FieldProblem,
  type NodeDefinition,
  type NodeRun,
  undecided,
} from './definition.js'
import type { Field } from './field.js'
import { type Form, INSTANT, MINUTE, oneOf, SYMBOL, savedFlag, TWO_DIGIT_MINUTE } from './form.js'
import { flag, number } from './output.js'
import { exchangeField, rowsOf, symbolField } from './shared.js'

/** Trigger nodes. Their fields are read on activation, and references in them are never resolved. */

const trigger = { family: 'trigger', effect: 'trigger' } as const

/** Returns the function of a trigger that only logs its text. */
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
  description: 'Whether it fires every time, or once and then deactivates the workflow.',
} as const satisfies Field

/** An exchange that is only a hint or a filter. */
const looseExchange = { ...exchangeField, required: false, literal: true } as const satisfies Field

/** Conditions are also written with hyphens, and some have older names. */
const CONDITION: Form = {
  rule: `one of ${CONDITION_NAMES.join(', ')}`,
  names: CONDITION_NAMES,
  accepts: (text) => canonicalCondition(text) !== undefined,
}

/** Statuses are also written with underscores. */
const STATUS: Form = oneOf([...WATCH_STATUSES, 'trigger_pending'])

/** Editors keep the fields of the other types of schedule. */
function unusedBySchedule({ marketHoursOnly, scheduleType }: Readonly<Body>): string[] {
  const type = wordOf(scheduleType)
  const hours = ['marketHoursExchange', 'marketHoursStart', 'marketHoursEnd']
  return [
    ...(type === 'interval' ? [] : ['intervalValue', 'intervalUnit']),
    ...(['daily', 'weekly', 'once'].includes(type) ? [] : ['time']),
    ...(savedFlag(marketHoursOnly) ? [] : hours),
  ]
}

const wordOf = (value: unknown): string =>
  interpolatedText(value ?? '')
    .trim()
    .toLowerCase()

/** The days of a weekly schedule that a run would ignore. */
function strayDays({ days, scheduleType }: Readonly<Body>): FieldProblem[] {
  if (!Array.isArray(days) || wordOf(scheduleType) !== 'weekly') return []
  return days
    .filter((day) => !/^[0-6]$/.test(interpolatedText(day).trim()))
    .map((received) => {
      const message = `days '${interpolatedText(received)}' is not a day from 0 (Monday) to 6 (Sunday)`
      return { field: 'days', code: 'invalid_field', message, received }
    })
}

const start = defineNode({
  ...trigger,
  type: 'start',
  summary: 'Starts the workflow by a schedule in IST, or manually.',
  fields: {
    scheduleType: {
      kind: 'text',
      default: 'manual',
      form: oneOf(SCHEDULE_TYPES),
      literal: true,
      description: 'Type of schedule: manual, daily, weekly, interval or once.',
    },
    time: {
      kind: 'time',
      default: '09:15',
      form: MINUTE,
      literal: true,
      description: 'Time of daily and weekly schedules, HH:MM.',
    },
    days: {
      kind: 'json',
      literal: true,
      description: 'Days of a weekly schedule, 0 (Monday) to 6 (Sunday).',
    },
    executeAt: {
      kind: 'text',
      form: INSTANT,
      literal: true,
      description: 'ISO 8601 date and time of a single run. A date without a time means that day at `time`.',
    },
    intervalValue: {
      kind: 'integer',
      default: 1,
      min: 1,
      literal: true,
      description: 'Length of the interval, in `intervalUnit`: a whole number.',
    },
    intervalUnit: {
      kind: 'text',
      default: 'minutes',
      form: oneOf(Object.keys(INTERVAL_UNITS)),
      literal: true,
      description: 'Unit of the interval: seconds, minutes or hours.',
    },
    marketHoursOnly: {
      kind: 'flag',
      default: false,
      literal: true,
      description: 'Skip scheduled runs outside the hours of the exchange.',
    },
    marketHoursExchange: {
      ...looseExchange,
      description: 'The exchange whose hours apply.',
    },
    marketHoursStart: {
      kind: 'time',
      form: TWO_DIGIT_MINUTE,
      literal: true,
      description: 'Start of the hours instead of that of the exchange, HH:MM.',
    },
    marketHoursEnd: {
      kind: 'time',
      form: TWO_DIGIT_MINUTE,
      literal: true,
      description: 'End of the hours instead of that of the exchange, HH:MM.',
    },
    missedRuns: {
      kind: 'text',
      default: 'skip',
      choices: MISSED_RUNS,
      literal: true,
      description: 'Skip a run that is more than a minute late, or run it once.',
    },
  },
  check: (data, strict) => (strict ? checkSchedule(data) : []),
  checkValues: strayDays,
  unused: unusedBySchedule,
  run: begins('Workflow started'),
})

const webhookTrigger = defineNode({
  ...trigger,
  type: 'webhookTrigger',
  summary: 'Starts the workflow when its webhook is called; its body is in `{{webhook.*}}`.',
  fields: {
    label: { kind: 'text', literal: true, description: 'Displayed name.' },
    symbol: {
      kind: 'text',
      form: SYMBOL,
      literal: true,
      description: 'Symbol that callers mean. Not enforced.',
    },
    exchange: { ...looseExchange, description: 'Exchange that callers mean. Not enforced.' },
  },
  run: begins('Webhook trigger activated'),
})

const priceAlert = defineNode({
  ...trigger,
  type: 'priceAlert',
  summary: 'Starts the workflow when a price meets a condition. In a manual run it checks the current price.',
  branching: true,
  storesOutput: true,
  fields: {
    symbol: { ...symbolField, literal: true },
    exchange: { ...exchangeField, literal: true },
    condition: {
      kind: 'text',
      required: true,
      default: 'greater_than',
      form: CONDITION,
      literal: true,
      description:
        'greater_than, less_than, crossing, crossing_up, crossing_down, entering_channel, inside_channel, exiting_channel, outside_channel, moving_up, moving_down, moving_up_percent or moving_down_percent.',
    },
    price: { kind: 'number', literal: true, description: 'Target price of conditions with one price.' },
    priceLower: { kind: 'number', literal: true, description: 'Lower end of a channel.' },
    priceUpper: { kind: 'number', literal: true, description: 'Upper end of a channel.' },
    percentage: {
      kind: 'number',
      literal: true,
      description: 'Smallest move since the previous check, in percent.',
    },
    trigger: repeatField,
    expiration: {
      kind: 'text',
      default: 'none',
      choices: ['none', '1h', '4h', '1d', '1w'],
      literal: true,
      description: 'Time from activation until the alert expires.',
    },
    message: { kind: 'text', literal: true, description: 'Displayed text.' },
  },
  output: {
    ltp: number('Price that was compared.'),
    condition_met: flag('Whether it met the condition.'),
    condition: flag('Whether it met the condition.'),
  },
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

/** The parts of a price alert that a comparison needs. */
interface Alert {
  symbol: string
  levels: PriceLevels
}

function answer(run: Pick<NodeRun, 'log'>, { symbol, levels }: Alert, ltp: number) {
  try {
    const met = priceMeetsAtOnce(levels, ltp)
    const { condition, ...limits } = levels
    const right = Object.values(limits).filter((limit) => limit !== undefined)
    run.log(
      `${symbol} ltp: ${ltp} ${[condition, right.join(' to ')].join(' ').trim()} -> ${booleanText(met)}`,
    )
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
    symbol: { kind: 'text', form: SYMBOL, literal: true, description: 'Only orders in this symbol.' },
    exchange: {
      kind: 'text',
      choices: exchangeField.choices,
      literal: true,
      description: 'Only orders on this exchange; blank means any.',
    },
    status: {
      kind: 'text',
      default: 'complete',
      form: STATUS,
      literal: true,
      description: `Only this status: ${WATCH_STATUSES.join(', ')}.`,
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
