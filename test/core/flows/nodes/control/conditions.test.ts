import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseClockTime } from '../../../../../src/core/flows/nodes/control/clock-time.js'
import { holds, OPERATORS } from '../../../../../src/core/flows/nodes/control/comparison.js'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import type { Body, ReadCall } from '../../../../../src/core/flows/ports.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { runNode } from '../../support.js'

type Options = Parameters<typeof runNode>[2]

async function ask(type: string, data: Body, options: Options = {}) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  return runNode(definition, data, options)
}

const at = (time: string): Options => ({ clock: new VirtualClock(`2026-11-20T${time}+05:30`) })
const answering = (call: ReadCall, data: unknown): Options => ({ reads: { [call]: { data } } })
const DOWN: Body = { status: 'error', message: 'Broker is down', code: 502 }

test.each([
  ['positionCheck', { symbol: 'SBIN', exchange: 'NSE', condition: 'not_exists' }, 'positionbook'],
  [
    'positionCheck',
    { symbol: 'SBIN', exchange: 'NSE', condition: 'pnl_above', threshold: -1 },
    'positionbook',
  ],
  ['fundCheck', { minAvailable: 0 }, 'funds'],
  ['priceCondition', { symbol: 'SBIN', exchange: 'NSE', operator: '<', value: 1 }, 'quotes'],
] as const)('%s fails if its data is missing', async (type, data, call) => {
  const { result } = await ask(type, data, { reads: { [call]: DOWN } })
  expect(result).toMatchObject({ status: 'error', message: 'Broker is down' })
  for (const told of [undefined, null, 'later', {}]) {
    const { result: odd } = await ask(type, data, answering(call, told))
    expect(odd?.status, String(told)).toBe('error')
  }
})

describe('priceCondition', () => {
  const quote = { ltp: 110, open: '100', high: 120, low: 90, prev_close: 100 }
  const data = { symbol: 'SBIN', exchange: 'NSE' }

  test.each<[Body, boolean, number]>([
    [{ operator: '>', value: 109.9 }, true, 110],
    [{ operator: '>', value: '110' }, false, 110],
    [{ operator: 'gte', value: '{{level}}' }, true, 110],
    [{ operator: '<=', threshold: 110 }, true, 110],
    [{ field: 'OPEN', operator: 'EQ', value: 100 }, true, 100],
    [{ field: 'low', operator: 'neq', value: 90 }, false, 90],
    [{ field: 'change_percent', operator: '==', value: 10 }, true, 10],
    [{}, true, 110],
  ])('%j is %j', async (given, condition, value) => {
    const { result } = await ask(
      'priceCondition',
      { ...data, ...given },
      {
        ...answering('quotes', quote),
        variables: { level: 110 },
      },
    )
    expect(result).toMatchObject({ status: 'success', condition, ltp: 110, field_value: value })
  })

  test('with a previous close of zero has a change of zero', async () => {
    const { result } = await ask(
      'priceCondition',
      { ...data, field: 'change_percent', operator: '==', value: 0 },
      answering('quotes', { ltp: 5, prev_close: 0 }),
    )
    expect(result).toMatchObject({ condition: true, field_value: 0 })
  })

  test.each<[Body, string]>([
    [{ field: 'volume' }, "field 'volume' is not one of ltp, open, high, low, prev_close, change_percent"],
    [{ operator: '=>' }, `operator '=>' is not one of ${OPERATORS.join(', ')}`],
    [{ operator: 'constructor' }, `operator 'constructor' is not one of ${OPERATORS.join(', ')}`],
    [{ value: '{{gone}}' }, "value did not resolve to a number: '{{gone}}'"],
    [{ value: 'nan' }, "value did not resolve to a number: 'nan'"],
    [{ field: 'high' }, 'the quote of SBIN has no high'],
    [{ field: 'open' }, 'the quote of SBIN has no open'],
    [{ field: 'low', operator: '<', value: 800 }, 'the quote of SBIN has no low'],
    [{ field: 'prev_close', operator: '<', value: 800 }, 'the quote of SBIN has no prev_close'],
  ])('%j is undecided', async (given, message) => {
    // Before the first trade of a day, brokers send 0 for the prices of the day.
    const early = { ltp: 5, open: 0, low: '0.00', prev_close: 0 }
    const { result } = await ask('priceCondition', { ...data, ...given }, answering('quotes', early))
    expect(result).toMatchObject({ status: 'error', message })
  })
})

describe('varCondition', () => {
  test.each<[unknown, string, unknown, boolean]>([
    ['{{a}}', '>', '{{b}}', true],
    ['09', '==', '9', true],
    [0, '<', 1, true],
    [0, '==', '0', true],
    ['true', 'eq', 1, true],
    ['False', '!=', '0', false],
    ['1e3', '>=', '1000', true],
    ['0.1', 'lt', '0.10000001', true],
  ])('%j %s %j is %j', async (leftValue, operator, rightValue, condition) => {
    const { result } = await ask(
      'varCondition',
      { leftValue, operator, rightValue },
      { variables: { a: 2, b: 1 } },
    )
    expect(result).toMatchObject({ status: 'success', condition, operator })
  })

  test.each<[Body, string]>([
    [{ leftValue: '', rightValue: '1' }, 'leftValue is empty'],
    [{ leftValue: '1' }, 'rightValue is empty'],
    [{ leftValue: '1', rightValue: null }, 'rightValue is empty'],
    [{ leftValue: '{{x}}', rightValue: '1' }, "leftValue did not resolve to a number: '{{x}}'"],
    [{ leftValue: '1', rightValue: '{{empty}}' }, "rightValue did not resolve to a number: ''"],
    [{ leftValue: 'nan', rightValue: '1' }, "leftValue did not resolve to a number: 'nan'"],
    [{ leftValue: '1_000', rightValue: '1' }, "leftValue did not resolve to a number: '1_000'"],
    [
      { leftValue: '1', rightValue: '1', operator: '~' },
      `operator '~' is not one of ${OPERATORS.join(', ')}`,
    ],
  ])('%j is undecided', async (data, message) => {
    expect((await ask('varCondition', data, { variables: { empty: '' } })).failure).toBe(message)
  })
})

describe('positionCheck', () => {
  const row = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', quantity: -10, pnl: '250.5' }
  const others = [
    { ...row, product: 'CNC', quantity: 99 },
    { ...row, exchange: 'BSE', quantity: 99 },
    { ...row, symbol: 'INFY', quantity: 99 },
  ]
  const data = { symbol: 'SBIN', exchange: 'NSE' }

  test.each<[Body, Body[], boolean, number]>([
    [{}, [...others, row], true, -10],
    [{ condition: 'not_exists' }, [...others, row], false, -10],
    [{ condition: 'not_exists' }, others, true, 0],
    [{ condition: 'not_exists' }, [{ ...row, quantity: 0 }], true, 0],
    [{ condition: 'quantity_below', threshold: 0 }, [row], true, -10],
    [{ condition: 'quantity_above', threshold: -10 }, [row], false, -10],
    [{ condition: 'pnl_above', threshold: '{{limit}}' }, [row], true, -10],
    [{ condition: 'PNL_BELOW', threshold: 250.5 }, [row], false, -10],
    [{ symbol: ' sbin ', exchange: 'nse', product: 'mis' }, [row], true, -10],
    [{ symbol: '{{s}}' }, [row], true, -10],
  ])('%j', async (given, rows, condition, quantity) => {
    const options = { ...answering('positionbook', rows), variables: { limit: 250, s: 'SBIN' } }
    const { result } = await ask('positionCheck', { ...data, ...given }, options)
    expect(result).toMatchObject({ status: 'success', condition, quantity })
  })

  const NO_SYMBOL = 'Position Check has no symbol, so it cannot check a position.'
  test.each<[Body, Body[], string]>([
    [{ symbol: ' ' }, [], NO_SYMBOL],
    [{ symbol: '{{empty}}' }, [], NO_SYMBOL],
    [{ symbol: '{{gone}}' }, [], "symbol did not resolve: '{{gone}}'"],
    [{ threshold: '{{gone}}' }, [], "threshold did not resolve to a number: '{{gone}}'"],
    [{ exchange: '{{gone}}' }, [], "exchange '{{gone}}' is not one of"],
    [{ condition: 'flat' }, [], "condition 'flat' is not one of exists, not_exists"],
    [{}, [{ ...row, quantity: null }], 'the position in SBIN cannot be read'],
    [{ condition: 'pnl_below' }, [{ ...row, pnl: 'n/a' }], 'the position in SBIN cannot be read'],
  ])('%j never counts as no position', async (given, rows, message) => {
    const options = { ...answering('positionbook', rows), variables: { empty: '' } }
    const { result } = await ask('positionCheck', { ...data, condition: 'not_exists', ...given }, options)
    expect(result?.status).toBe('error')
    expect(result?.message).toContain(message)
  })
})

describe('fundCheck', () => {
  test.each<[Body, boolean]>([
    [{ minAvailable: 10_000 }, true],
    [{ minAvailable: '10000.01' }, false],
    [{ threshold: 5000, operator: 'gte' }, true],
    [{ minAvailable: 0 }, true],
  ])('%j of 10000 is %j', async (data, condition) => {
    const { result } = await ask('fundCheck', data, answering('funds', { availablecash: '10000.00' }))
    expect(result).toEqual({ status: 'success', condition, available: 10_000 })
  })

  test.each<[Body, string]>([
    [{}, 'Fund Check has no minimum, so it cannot check the funds.'],
    [{ minAvailable: ' ' }, 'Fund Check has no minimum, so it cannot check the funds.'],
    [{ minAvailable: '{{gone}}' }, "minAvailable did not resolve to a number: '{{gone}}'"],
    [
      { threshold: 5, operator: 'lt' },
      "Fund Check does not support the operator 'lt'; set minAvailable instead.",
    ],
  ])('%j cannot guard anything and fails', async (data, message) => {
    const { result, ports } = await ask('fundCheck', data, answering('funds', { availablecash: '1' }))
    expect(result).toMatchObject({ status: 'error', message })
    expect(ports.asked).toEqual([])
  })

  test('with an inverted operator is not a condition, so all its branches stop', async () => {
    const { result } = await ask('fundCheck', { threshold: 5, operator: '<' })
    expect(result).not.toHaveProperty('condition')
  })
})

describe('timeWindow', () => {
  const day = { startTime: '09:15', endTime: '15:30' }
  const night = { startTime: '22:00', endTime: '02:00' }
  test.each<[Body, string, boolean]>([
    [day, '09:14:59.999', false],
    [day, '09:15:00', true],
    [day, '15:30:00', true],
    [day, '15:30:00.500', false],
    [{ startTime: '9:15:45', endTime: '15:30:59' }, '09:15:00', true],
    [{ startTime: '9:15:45', endTime: '15:30:59' }, '15:30:01', false],
    [night, '23:00:00', true],
    [night, '01:59:59', true],
    [night, '02:00:00.001', false],
    [night, '12:00:00', false],
    [{ ...day, invertCondition: true }, '12:00:00', false],
    [{ ...day, invertCondition: 'true' }, '16:00:00', true],
    [{ ...day, invertCondition: 1 }, '16:00:00', true],
    [{ ...day, invertCondition: '1' }, '16:00:00', true],
    [{ ...day, invertCondition: '0' }, '12:00:00', true],
    [{ ...day, invertCondition: 'false' }, '12:00:00', true],
    [{}, '12:00:00', true],
    [{ startTime: '09:15', endTime: '99:99' }, '23:59:00', true],
  ])('%j at %s is %j', async (data, time, condition) => {
    expect((await ask('timeWindow', data, at(time))).result).toMatchObject({ condition })
  })

  test.each(['nine', '{{t}}', '0915', 915, ['09:15']])('from %j is not a window', async (startTime) => {
    expect((await ask('timeWindow', { startTime })).failure).toMatch(/^startTime '.*' is not a time of day/)
  })
})

describe('timeCondition', () => {
  test.each<[string, string, string, boolean]>([
    ['>=', '15:29:59', '15:29:30', false],
    ['>=', '15:29:59', '15:29:59.999', true],
    ['>', '09:30', '09:30:00.999', false],
    ['>', '09:30', '09:30:01', true],
    ['<', '09:30', '09:29:59.999', true],
    ['<=', '09:30', '09:30:00.500', true],
    ['==', '09:30:10', '09:30:59', true],
    ['==', '09:30', '09:31:00', false],
  ])('%s %s at %s is %j', async (operator, targetTime, time, condition) => {
    const { result } = await ask('timeCondition', { operator, targetTime }, at(time))
    expect(result).toMatchObject({
      condition,
      operator,
      current_time: time.slice(0, 8),
      condition_type: 'entry',
    })
  })

  test('accepts no other operator and no operator in words', async () => {
    const { failure } = await ask('timeCondition', { operator: '!=' })
    expect(failure).toBe("operator '!=' is not one of >=, <=, >, <, ==")
  })
})

test.each<[string, boolean[], boolean, string]>([
  ['andGate', [true, true, true], true, 'AND Gate: [True, True, True] -> True'],
  ['andGate', [true, false], false, 'AND Gate: [True, False] -> False'],
  ['andGate', [], false, 'AND Gate: [] -> False'],
  ['orGate', [false, true], true, 'OR Gate: [False, True] -> True'],
  ['orGate', [], false, 'OR Gate: [] -> False'],
  ['notGate', [true], false, 'NOT Gate: True -> False'],
  ['notGate', [false, true], true, 'NOT Gate: False -> True'],
])('%s of %j is %j', async (type, inputs, condition, line) => {
  const { result, logs } = await ask(type, { inputCount: 5 }, { inputs })
  expect(result).toEqual({ status: 'success', condition })
  expect(logs).toEqual([{ level: 'info', message: line }])
})

test('an unknown operator never holds', () => {
  for (const operator of ['constructor', '__proto__', 'toString', '', '=', 'GT']) {
    expect(holds(2, operator, 1)).toBe(false)
    expect(holds(1, operator, 1)).toBe(false)
  }
  fc.assert(
    fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
      expect([holds(a, '>', b), holds(a, 'lt', b), holds(a, 'eq', b)].filter(Boolean)).toHaveLength(1)
      expect(holds(a, '>=', b)).toBe(!holds(a, '<', b))
      expect(holds(a, '!=', b)).toBe(!holds(a, '==', b))
    }),
  )
})

test('any value is a time of day or refused', () => {
  expect(parseClockTime(' 9:5 ')).toEqual({ hour: 9, minute: 5, second: 0 })
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const time = parseClockTime(value)
      if (time) expect(time.hour < 24 && time.minute < 60 && time.second < 60).toBe(true)
    }),
  )
})

test('a condition fails only with a NodeError, for any values in its fields', async () => {
  const types = [
    'priceCondition',
    'varCondition',
    'positionCheck',
    'fundCheck',
    'timeWindow',
    'timeCondition',
  ]
  const fields = [
    'symbol',
    'exchange',
    'operator',
    'value',
    'leftValue',
    'rightValue',
    'condition',
    'threshold',
    'minAvailable',
    'startTime',
    'targetTime',
  ]
  const reads = {
    quotes: { data: { ltp: 1 } },
    positionbook: { data: [] },
    funds: { data: { availablecash: 1 } },
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...types),
      fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()),
      async (type, data) => {
        const { result } = await ask(type, data, { reads })
        // A condition decides when it succeeds; when it fails it says why, and decides nothing.
        const { status, condition, message } = result ?? {}
        expect({
          decides: typeof condition === 'boolean',
          explains: typeof message === 'string' && message !== '',
        }).toEqual(
          status === 'success' ? { decides: true, explains: false } : { decides: false, explains: true },
        )
      },
    ),
    { numRuns: 200 },
  )
})

describe('the log of a run shows the values a condition compared', () => {
  const book = [{ symbol: 'SBIN', exchange: 'NSE', product: 'MIS', quantity: -5, pnl: 120.5 }]
  const sbin = { symbol: 'SBIN', exchange: 'NSE' }
  test.each<[string, Body, Options, string]>([
    [
      'priceCondition',
      { ...sbin, operator: 'gte', value: 109.9 },
      answering('quotes', { ltp: 110 }),
      'SBIN ltp: 110 gte 109.9 -> True',
    ],
    ['varCondition', { leftValue: '3', operator: '<', rightValue: '2' }, {}, 'varCondition: 3 < 2 -> False'],
    [
      'positionCheck',
      { ...sbin, product: 'MIS', condition: 'pnl_above', threshold: 100 },
      answering('positionbook', book),
      'SBIN position pnl: 120.5 > 100 -> True',
    ],
    [
      'positionCheck',
      { ...sbin, product: 'CNC', condition: 'not_exists' },
      answering('positionbook', book),
      'SBIN position quantity: 0 == 0 -> True',
    ],
    [
      'fundCheck',
      { minAvailable: 5000 },
      answering('funds', { availablecash: '4999.50' }),
      'available cash: 4999.5 >= 5000 -> False',
    ],
    [
      'timeWindow',
      { startTime: '09:15', endTime: '15:30' },
      at('15:31:00'),
      'timeWindow: 15:31:00 inside 09:15:00 to 15:30:00 -> False',
    ],
    [
      'timeCondition',
      { targetTime: '09:30', operator: '>=' },
      at('09:30:00'),
      'timeCondition: 09:30:00 >= 09:30:00 -> True',
    ],
    [
      'priceAlert',
      { ...sbin, condition: 'entering_channel', priceLower: 100, priceUpper: 120 },
      answering('quotes', { ltp: 130 }),
      'SBIN ltp: 130 entering_channel 100 to 120 -> False',
    ],
  ])('%s %j', async (type, data, options, line) => {
    const { logs } = await ask(type, data, options)
    expect(logs.map(({ message }) => message)).toEqual([line])
  })
})
