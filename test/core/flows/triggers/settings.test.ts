import { describe, expect, test } from 'vitest'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import {
  assertArmable,
  checkOrderUpdate,
  checkPriceAlert,
  checkSchedule,
  readOrderUpdate,
  readPriceAlert,
  readSchedule,
  runTriggerOf,
  sameTrigger,
  triggerOf,
} from '../../../../src/core/flows/triggers/index.js'
import { ist } from './support.js'

type Data = Record<string, unknown>
const graphOf = (type: string, data: Data): FlowGraph => ({
  nodes: [
    { id: 'note', type: 'log', position: { x: 0, y: 0 }, data: {} },
    { id: 't', type, position: { x: 0, y: 0 }, data },
  ],
  edges: [],
})

const RULE = 'intervalValue must be a whole number from 1, and the interval at most 366 days'

describe('a schedule', () => {
  test.each<[string, Data, unknown]>([
    ['none', {}, undefined],
    ['blank', { scheduleType: '' }, undefined],
    ['by hand', { scheduleType: 'manual' }, undefined],
    ['daily at the usual time', { scheduleType: 'daily' }, { type: 'daily', hour: 9, minute: 15 }],
    [
      'daily, days ignored',
      { scheduleType: 'Daily', time: '15:20', days: [1] },
      { type: 'daily', hour: 15, minute: 20 },
    ],
    [
      'weekly, single bad days dropped',
      { scheduleType: 'weekly', time: '9:05', days: [6, 2, 9, '0', 2] },
      { type: 'weekly', hour: 9, minute: 5, days: [0, 2, 6] },
    ],
    ['interval of a minute', { scheduleType: 'interval' }, { type: 'interval', everyMs: 60_000 }],
    [
      'interval of nought counts as one',
      { scheduleType: 'interval', intervalValue: 0, intervalUnit: 'hours' },
      { type: 'interval', everyMs: 3_600_000 },
    ],
    [
      'interval, legacy member ignored',
      { scheduleType: 'interval', intervalValue: '30', intervalUnit: 'seconds', intervalMinutes: 7 },
      { type: 'interval', everyMs: 30_000 },
    ],
    [
      'once in India',
      { scheduleType: 'once', executeAt: '2026-12-01T10:30' },
      { type: 'once', at: ist('2026-12-01 10:30:00') },
    ],
    [
      'once with seconds and a zone',
      { scheduleType: 'once', executeAt: '2026-12-01 05:00:07.250Z' },
      { type: 'once', at: ist('2026-12-01 10:30:07.250') },
    ],
    [
      'once with an offset',
      { scheduleType: 'once', executeAt: '2026-12-01T10:30:00+0530' },
      { type: 'once', at: ist('2026-12-01 10:30:00') },
    ],
    [
      'once on a date, at its time',
      { scheduleType: 'once', executeAt: '2026-12-01', time: '11:45' },
      { type: 'once', at: ist('2026-12-01 11:45:00') },
    ],
  ])('%s', (_name, data, schedule) => {
    expect(readSchedule(data)).toEqual({ value: schedule })
    expect(checkSchedule(data)).toEqual([])
  })

  test.each<[Data, field: string, detail: string]>([
    [{ scheduleType: 'hourly' }, 'scheduleType', 'type=hourly'],
    [{ scheduleType: '{{x}}' }, 'scheduleType', 'type={{x}}'],
    [{ scheduleType: 'daily', time: '25:00' }, 'time', 'Invalid time format: 25:00'],
    [{ scheduleType: 'daily', time: '09:15:00' }, 'time', 'Invalid time format: 09:15:00'],
    [{ scheduleType: 'weekly' }, 'days', 'type=weekly'],
    [{ scheduleType: 'weekly', days: [] }, 'days', 'type=weekly'],
    [{ scheduleType: 'weekly', days: [7, -1, 1.5, true] }, 'days', 'Invalid weekly schedule configuration'],
    [{ scheduleType: 'weekly', days: [1], time: 'noon' }, 'time', 'Invalid weekly schedule configuration'],
    [
      { scheduleType: 'interval', intervalValue: -1 },
      'intervalValue',
      `Invalid interval: -1 minutes. ${RULE}`,
    ],
    [
      { scheduleType: 'interval', intervalValue: 1.5 },
      'intervalValue',
      `Invalid interval: 1.5 minutes. ${RULE}`,
    ],
    [
      { scheduleType: 'interval', intervalValue: 'soon' },
      'intervalValue',
      `Invalid interval: soon minutes. ${RULE}`,
    ],
    [
      { scheduleType: 'interval', intervalValue: 1e9 },
      'intervalValue',
      `Invalid interval: 1000000000 minutes. ${RULE}`,
    ],
    [{ scheduleType: 'interval', intervalUnit: 'days' }, 'intervalUnit', 'Invalid interval unit: days'],
    [{ scheduleType: 'once' }, 'executeAt', 'type=once'],
    [{ scheduleType: 'once', executeAt: 'tomorrow' }, 'executeAt', 'Invalid datetime format: tomorrow'],
    [{ scheduleType: 'once', executeAt: '2026-02-30' }, 'executeAt', 'Invalid datetime format: 2026-02-30'],
    [
      { scheduleType: 'once', executeAt: '2026-02-10T25:00' },
      'executeAt',
      'Invalid datetime format: 2026-02-10T25:00',
    ],
  ])('%j is refused', (data, field, detail) => {
    const message = `Invalid schedule configuration: ${detail}`
    expect(checkSchedule(data)).toMatchObject([{ field, code: 'invalid_schedule', message }])
    expect(() => triggerOf(graphOf('start', data))).toThrow(message)
  })

  test('a single instant more than a minute ago cannot be activated', () => {
    const trigger = triggerOf(graphOf('start', { scheduleType: 'once', executeAt: '2026-11-20T10:00' }))
    const at = ist('2026-11-20 10:00:00')
    if (!trigger) throw new Error('no trigger')
    expect(() => assertArmable(trigger, at + 60_000)).not.toThrow()
    expect(() => assertArmable(trigger, at + 60_001)).toThrow(/^Invalid schedule configuration/)
  })
})

describe('a price alert', () => {
  const base = { symbol: 'reliance', exchange: 'nse', condition: 'above', price: '2850' }

  test('is read with its numbers and its canonical condition', () => {
    expect(readPriceAlert({ ...base, expiration: '1w', trigger: 'every_time' })).toEqual({
      value: {
        symbol: 'RELIANCE',
        exchange: 'NSE',
        levels: {
          condition: 'greater_than',
          price: 2850,
          lower: undefined,
          upper: undefined,
          percentage: undefined,
        },
        trigger: 'every_time',
        expiresAfterMs: 7 * 86_400_000,
      },
    })
  })

  test.each<[Data, field: string, code: string]>([
    [{ condition: 'roughly' }, 'condition', 'unknown_condition'],
    [{ condition: 'constructor' }, 'condition', 'unknown_condition'],
    [{ price: '' }, 'price', 'missing_required_field'],
    [{ price: 0 }, 'price', 'invalid_threshold'],
    [{ price: '{{x}}' }, 'price', 'invalid_threshold'],
    [{ price: true }, 'price', 'invalid_threshold'],
    [{ condition: 'inside_channel', priceUpper: 2 }, 'priceLower', 'missing_required_field'],
    [{ condition: 'inside_channel', priceLower: 3, priceUpper: 3 }, 'priceLower', 'invalid_threshold'],
    [{ condition: 'moving_up_percent' }, 'percentage', 'missing_required_field'],
    [{ condition: 'moving_down_percent', percentage: -1 }, 'percentage', 'invalid_threshold'],
    [{ symbol: '{{s}}' }, 'symbol', 'invalid_field'],
  ])('%j is refused', (data, field, code) => {
    expect(checkPriceAlert({ ...base, ...data })).toMatchObject([{ field, code }])
    expect(() => triggerOf(graphOf('priceAlert', { ...base, ...data }))).toThrow()
  })

  test.each<[Data, string]>([
    [{ symbol: ' ' }, 'symbol is required'],
    [{ trigger: 'twice' }, "trigger must be one of once, every_time, got 'twice'"],
    [{ expiration: '2h' }, "expiration must be one of none, 1h, 4h, 1d, 1w, got '2h'"],
  ])('%j cannot be activated', (data, message) => {
    expect(() => triggerOf(graphOf('priceAlert', { ...base, ...data }))).toThrow(message)
  })

  test('moves need no level', () => {
    expect(checkPriceAlert({ condition: 'moving-up' })).toEqual([])
  })
})

describe('an order watch', () => {
  test('has no condition by default but completed orders', () => {
    expect(readOrderUpdate({ symbol: 'sbin', status: '' })).toEqual({
      value: {
        orderId: undefined,
        symbol: 'SBIN',
        exchange: undefined,
        status: 'complete',
        trigger: 'once',
      },
    })
  })

  test('accepts statuses with underscores and in any case', () => {
    expect(readOrderUpdate({ orderId: 5, status: 'TRIGGER_PENDING' }).value).toMatchObject({
      orderId: '5',
      status: 'trigger pending',
    })
  })

  test.each<[Data, string]>([
    [{}, 'orderUpdateTrigger needs an Order ID or a Symbol to watch'],
    [{ orderId: '{{x.orderid}}' }, "orderId of a trigger cannot use variables: '{{x.orderid}}'"],
    [
      { symbol: 'SBIN', status: 'done' },
      "orderUpdateTrigger status must be one of [any, open, trigger pending, complete, rejected, cancelled], got 'done'",
    ],
  ])('%j is refused', (data, message) => {
    expect(checkOrderUpdate(data)[0]?.message).toBe(message)
    expect(() => triggerOf(graphOf('orderUpdateTrigger', data))).toThrow(message)
  })
})

describe('the trigger of a workflow', () => {
  test('is the first trigger node; a graph without one has none', () => {
    const graph = graphOf('webhookTrigger', {})
    graph.nodes.push({ id: 's', type: 'start', position: { x: 0, y: 0 }, data: {} })
    expect(triggerOf(graph)).toEqual({ kind: 'webhook' })
    expect(triggerOf({ nodes: [] })).toBeUndefined()
  })

  test('of a start node has its market hours and its setting for missed runs', () => {
    const data = {
      scheduleType: 'daily',
      missedRuns: 'run_once',
      marketHoursOnly: true,
      marketHoursEnd: '14:00',
    }
    expect(triggerOf(graphOf('start', data))).toEqual({
      kind: 'schedule',
      schedule: { type: 'daily', hour: 9, minute: 15 },
      missedRuns: 'run_once',
      marketHours: { exchange: 'NSE', start: undefined, end: '14:00' },
    })
  })

  test.each(['always', 2, '{{hours}}'])('with market hours of %j is refused', (marketHoursOnly) => {
    const data = { scheduleType: 'daily', marketHoursOnly }
    const message = `marketHoursOnly must be true or false, got '${marketHoursOnly}'`
    expect(() => triggerOf(graphOf('start', data))).toThrow(message)
  })

  test.each<[string, Data, Data, boolean]>([
    ['a time', { time: '09:15' }, { time: '09:16' }, false],
    ['days', { days: [1, 2] }, { days: [1, 3] }, false],
    ['the same days', { days: [1, 2] }, { days: [1, 2] }, true],
    ['blank for absent', { symbol: '' }, {}, true],
    ['a label', { label: 'a' }, { label: 'b' }, true],
    ['hours, read at each run', { marketHoursStart: '09:30' }, {}, true],
    ['the gate', { marketHoursOnly: true }, {}, false],
    ['missed runs', { missedRuns: 'run_once' }, {}, false],
  ])('compared by %s', (_name, before, after, same) => {
    expect(sameTrigger(graphOf('start', before), graphOf('start', after))).toBe(same)
  })

  test('of another type is another', () => {
    expect(sameTrigger(graphOf('start', {}), graphOf('webhookTrigger', {}))).toBe(false)
  })
})

describe('the trigger as runs name it', () => {
  test.each<[type: string, data: Data, named: string | null]>([
    ['start', {}, 'manual'],
    ['start', { scheduleType: ' Manual ' }, 'manual'],
    ['start', { scheduleType: 'daily' }, 'schedule'],
    ['start', { scheduleType: 'weekly', days: 'none' }, 'schedule'],
    ['webhookTrigger', {}, 'webhook'],
    ['priceAlert', {}, 'price_alert'],
    ['orderUpdateTrigger', {}, 'order_update'],
    ['delay', {}, null],
  ])('of %s %j is %s, also of a draft', (type, data, named) => {
    expect(runTriggerOf(graphOf(type, data))).toBe(named)
  })
})
