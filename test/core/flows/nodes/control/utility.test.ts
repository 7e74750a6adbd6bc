import { describe, expect, test } from 'vitest'
import { Cancellation } from '../../../../../src/core/flows/engine/cancellation.js'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { FRIDAY_11, recordingPorts, runNode } from '../../support.js'

type Options = Parameters<typeof runNode>[2]

async function perform(type: string, data: Body, options: Options = {}) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  return runNode(definition, data, options)
}

describe('mathExpression', () => {
  test('stores the number itself, and logs its computation', async () => {
    const { variables, logs } = await perform(
      'mathExpression',
      { expression: '({{high}} - {{low}}) * {{hour}}', outputVariable: ' range ' },
      { variables: { high: 105.5, low: 100 } },
    )
    expect(variables.get('range')).toBe(60.5)
    expect(logs.map(({ message }) => message)).toEqual([
      'Evaluating: ({{high}} - {{low}}) * {{hour}}',
      'Interpolated: (105.5 - 100) * 11',
      'Result: range = 60.5',
    ])
  })

  test.each([{}, { outputVariable: '' }, { outputVariable: '  ' }, { outputVariable: 5 }])(
    'keeps it as result without a name: %j',
    async (data) => {
      expect((await perform('mathExpression', { expression: '1+1', ...data })).variables.get('result')).toBe(
        2,
      )
    },
  )

  test('inserts a negative value as text', async () => {
    const options = { variables: { x: -3 } }
    expect(
      (await perform('mathExpression', { expression: '{{x}} ** 2' }, options)).variables.get('result'),
    ).toBe(-9)
    expect(
      (await perform('mathExpression', { expression: '5 - {{x}}' }, options)).variables.get('result'),
    ).toBe(8)
  })

  test.each([
    [{}, 'No expression provided'],
    [{ expression: ' ' }, 'No expression provided'],
    [{ expression: '{{empty}}' }, 'Empty expression'],
    [{ expression: '{{gone}} + 1' }, "Invalid expression syntax: '{' is out of place"],
    [{ expression: '1/0' }, 'division by zero'],
  ])('%j stores nothing', async (data, message) => {
    const { failure, variables } = await perform('mathExpression', data, { variables: { empty: '' } })
    expect(failure).toBe(message)
    expect(variables.has('result')).toBe(false)
  })
})

test.each([
  [{ message: 'at {{time}}' }, 'info', '[LOG] at 11:00:00'],
  [{ message: 'x', level: 'WARN' }, 'warn', '[LOG] x'],
  [{ message: 'x', level: 'error' }, 'error', '[LOG] x'],
  [{}, 'info', '[LOG] '],
  [{ message: 5 }, 'info', '[LOG] 5'],
])('log %j', async (data, level, message) => {
  const { logs, result } = await perform('log', data)
  expect(logs).toEqual([{ level, message }])
  expect(result).toEqual({ status: 'success' })
})

/** Measures how long a node waits. */
async function waited(type: string, data: Body, start = FRIDAY_11) {
  const clock = new VirtualClock(start)
  let ended: number | undefined
  const running = perform(type, data, { clock }).then((outcome) => {
    ended = clock.now()
    return outcome
  })
  for (let hour = 0; hour < 24 && ended === undefined; hour++) await clock.advance(3_600_000)
  return { ...(await running), ms: (ended ?? Number.NaN) - Date.parse(start) }
}

describe('delay', () => {
  test.each<[Body, number, string[]]>([
    [{}, 1000, ['Waiting for 1 seconds']],
    [{ delayValue: 5 }, 5000, ['Waiting for 5 seconds']],
    [{ delayValue: '2', delayUnit: 'MINUTES' }, 120_000, ['Waiting for 120 seconds']],
    [{ delayMs: 250 }, 250, ['Waiting for 0.25 seconds']],
    [{ delayValue: 0 }, 0, ['Waiting for 0 seconds']],
    [{ delayValue: -5 }, 0, ['Waiting for 0 seconds']],
    [{ delayValue: 300 }, 300_000, ['Waiting for 300 seconds']],
    [
      { delayValue: 2, delayUnit: 'hours' },
      300_000,
      ['Delay of 7200s exceeds the 300s maximum; waiting the maximum instead.', 'Waiting for 300 seconds'],
    ],
  ])('%j', async (data, ms, lines) => {
    const outcome = await waited('delay', data)
    expect(outcome.logs.map(({ message }) => message)).toEqual(lines)
    expect(outcome.result).toEqual({ status: 'success' })
    expect(outcome.ports.clock.pending).toBe(0)
    expect(outcome.ms).toBe(ms)
  })

  test.each([
    [{ delayValue: 'soon' }, "delayValue is not a number: 'soon'"],
    [{ delayValue: '{{x}}' }, "delayValue is not a number: '{{x}}'"],
    [{ delayValue: 1, delayUnit: 'days' }, "delayUnit 'days' is not one of seconds, minutes, hours"],
  ])('%j fails', async (data, message) => {
    expect((await perform('delay', data)).failure).toBe(message)
  })

  test('lasts exactly as long as configured', async () => {
    const ports = recordingPorts()
    let over = false
    const running = perform('delay', { delayValue: 2 }, { ports }).then(() => {
      over = true
    })
    await ports.clock.advance(1999)
    expect(over).toBe(false)
    await ports.clock.advance(1)
    await running
    expect(over).toBe(true)
  })

  test('ends when the run is cancelled', async () => {
    const cancel = new Cancellation()
    const ports = recordingPorts()
    const running = perform('delay', { delayValue: 200 }, { ports, cancellation: cancel })
    await ports.clock.advance(1000)
    cancel.cancel(new Error('Cancelled'))
    await expect(running).rejects.toThrow('Cancelled')
    expect(ports.clock.pending).toBe(0)
  })
})

describe('waitUntil', () => {
  test('waits for the exact second, however far away', async () => {
    const ports = recordingPorts()
    let over = false
    const running = perform('waitUntil', { targetTime: '15:20:30' }, { ports }).then((outcome) => {
      over = true
      return outcome
    })
    await ports.clock.advanceTo('2026-11-20T15:20:29.999+05:30')
    expect(over).toBe(false)
    await ports.clock.advance(1)
    expect((await running).logs).toEqual([{ level: 'info', message: 'Waiting until 15:20:30' }])
  })

  test.each(['09:30', '11:00', '11:00:00'])('continues at once after %s', async (targetTime) => {
    const { logs, result } = await perform('waitUntil', { targetTime })
    expect(logs[0]?.message).toMatch(/^Target time \d\d:\d\d:\d\d already passed$/)
    expect(result).toEqual({ status: 'success' })
  })

  test.each(['soon', '{{t}}', 930, { toString: 1 }])('%j is not a time', async (targetTime) => {
    expect((await perform('waitUntil', { targetTime })).failure).toMatch(
      /^targetTime '.*' is not a time of day/,
    )
  })
})

describe('a machine that sleeps or whose clock is set', () => {
  const LATE = /^The wait ended \d+ s late: the machine slept or its clock was set/
  const WAITS = [
    ['delay', { delayValue: 5, delayUnit: 'minutes' }],
    ['waitUntil', { targetTime: '11:05' }],
  ] as const

  /** Starts a wait of five minutes that nothing has disturbed for 100 seconds. */
  async function waiting(type: string, data: Body) {
    const ports = recordingPorts()
    const state = { ended: false }
    const running = perform(type, data, { ports }).then((outcome) => {
      state.ended = true
      return outcome
    })
    await ports.clock.advance(100_000)
    return { clock: ports.clock, running, state }
  }

  test.each(WAITS)('%s that is hours late fails', async (type, data) => {
    const { clock, running } = await waiting(type, data)
    clock.suspend(3 * 3_600_000)
    await clock.advance(30_000)
    expect((await running).failure).toMatch(LATE)
    expect(clock.pending).toBe(0)
  })

  test.each(WAITS)('%s ends at its time when the machine wakes up before it', async (type, data) => {
    const { clock, running, state } = await waiting(type, data)
    clock.suspend(150_000)
    await clock.advance(49_999)
    expect(state.ended).toBe(false)
    await clock.advance(1)
    expect((await running).failure).toBeUndefined()
  })

  test.each(WAITS)('%s that ends a minute late goes on', async (type, data) => {
    const { clock, running } = await waiting(type, data)
    clock.suspend(260_000)
    await clock.advance(0)
    expect((await running).failure).toBeUndefined()
  })

  test('a step of the clock does not count for a delay', async () => {
    const { clock, running, state } = await waiting('delay', { delayValue: 5, delayUnit: 'minutes' })
    clock.step(3 * 3_600_000)
    await clock.advance(199_999)
    expect(state.ended).toBe(false)
    await clock.advance(1)
    expect((await running).failure).toBeUndefined()
  })

  test.each([
    ['back', -600_000, 800_000],
    ['forward', 100_000, 100_000],
  ])('waitUntil follows the clock that is set %s', async (_, step, left) => {
    const { clock, running, state } = await waiting('waitUntil', { targetTime: '11:05' })
    clock.step(step)
    await clock.advance(left - 1)
    expect(state.ended).toBe(false)
    await clock.advance(1)
    expect((await running).failure).toBeUndefined()
  })

  test('waitUntil fails when the clock is set far past its time', async () => {
    const { clock, running } = await waiting('waitUntil', { targetTime: '11:05' })
    clock.step(3_600_000)
    await clock.advance(30_000)
    expect((await running).failure).toMatch(LATE)
  })
})

test('a group does nothing', async () => {
  expect((await perform('group', { label: 'Entry' })).result).toBeUndefined()
})

describe('variable', () => {
  const variables = {
    n: 10,
    text: 'ab',
    list: [1],
    zero: 0,
    raw: '{"a":[1,2]}',
    data: { data: [{ close: 812.5 }], none: null },
  }
  test.each<[Body, unknown]>([
    [{ value: '5' }, '5'],
    [{ value: 5 }, 5],
    [{ value: '{{n}}' }, 10],
    [{ value: 'n={{n}}' }, 'n=10'],
    [{ value: '{{list}}' }, [1]],
    [{ value: '[1, {{n}}]' }, [1, 10]],
    [{ value: '{"a": 1}' }, { a: 1 }],
    [{ value: '{not json' }, '{not json'],
    [{ value: { deep: ['{{n}}'] } }, { deep: [10] }],
    [{ value: '' }, ''],
    [{}, ''],
    [{ operation: 'get', sourceVariable: 'n' }, 10],
    [{ operation: 'get', sourceVariable: 'data', jsonPath: 'data[0].close' }, 812.5],
    [{ operation: 'add', variableName: 'n', value: '2.5' }, 12.5],
    [{ operation: 'add', variableName: 'fresh', value: 2 }, 2],
    [{ operation: 'subtract', variableName: 'n', value: '{{n}}' }, 0],
    [{ operation: 'multiply', variableName: 'n', value: 3 }, 30],
    [{ operation: 'divide', variableName: 'n', value: 4 }, 2.5],
    [{ operation: 'divide', variableName: 'n', value: 0 }, 0],
    [{ operation: 'INCREMENT', variableName: 'n' }, 11],
    [{ operation: 'decrement', variableName: 'fresh' }, -1],
    [{ operation: 'parse_json', sourceVariable: 'raw' }, { a: [1, 2] }],
    [{ operation: 'parse_json', value: '[1]' }, [1]],
    [{ operation: 'stringify', sourceVariable: 'list' }, '[1]'],
    [{ operation: 'append', variableName: 'text', value: 'c{{n}}' }, 'abc10'],
    [{ operation: 'append', variableName: 'list', value: '{{n}}' }, [1, 10]],
    [{ operation: 'append', variableName: 'fresh', value: 'x' }, 'x'],
    [{ variableName: undefined, name: 'other', value: 1 }, 1],
  ])('%j', async (data, value) => {
    const name = String(data.variableName ?? data.name ?? 'v')
    const outcome = await perform(
      'variable',
      { ...(data.name ? {} : { variableName: 'v' }), ...data },
      { variables },
    )
    expect(outcome.result).toEqual({ status: 'success', variable: name, value })
    expect(outcome.variables.get(name)).toEqual(value)
  })

  test('divided by zero warns', async () => {
    const { logs } = await perform(
      'variable',
      { variableName: 'n', operation: 'divide', value: '0' },
      { variables },
    )
    expect(logs).toEqual([{ level: 'warning', message: 'Variable n divided by zero; it is now 0.' }])
  })

  test.each<[Body, string]>([
    [{ variableName: ' ' }, 'variableName is empty'],
    [{ operation: 'power' }, "operation 'power' is not one of"],
    [{ operation: 'constructor' }, "operation 'constructor' is not one of"],
    [{ operation: 'add', value: 'abc' }, "value is not a number: 'abc'"],
    [{ operation: 'add', variableName: 'text', value: 1 }, "text is not a number: 'ab'"],
    [{ operation: 'increment', variableName: 'text' }, "text is not a number: 'ab'"],
    [{ operation: 'get', sourceVariable: 'gone' }, 'gone does not exist'],
    [{ operation: 'get', sourceVariable: 'data', jsonPath: 'none' }, 'data none does not exist'],
    [{ operation: 'get', sourceVariable: 'data', jsonPath: 'data[' }, 'data data[ does not exist'],
    [{ operation: 'get', sourceVariable: 'data', jsonPath: '__proto__' }, 'data __proto__ does not exist'],
    [{ operation: 'parse_json', sourceVariable: 'text' }, 'The value is not valid JSON: ab'],
  ])('%j stores nothing', async (data, message) => {
    const outcome = await perform('variable', { variableName: 'v', ...data }, { variables })
    expect(outcome.failure).toContain(message)
    expect(outcome.variables.has('v')).toBe(false)
    expect(outcome.variables.get('text')).toBe('ab')
  })

  test.each([
    { operation: 'set', value: '{{text}}' },
    { operation: 'parse_json', value: '{{text}}' },
    { operation: 'parse_json', sourceVariable: 'text' },
    { operation: 'set', value: { more: '{{edge}}' } },
    { operation: 'append', value: '{{edge}}' },
  ])('%j that is nested too deeply stores nothing', async (data) => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    const variables = { text: nested(30_000), edge: JSON.parse(nested(100)), v: [] }
    const outcome = await perform('variable', { variableName: 'v', ...data }, { variables })
    expect(outcome.failure).toBe('The value is nested too deeply: at most 100 levels')
    expect(outcome.variables.get('v')).toEqual([])
  })

  test('appending does not change the list in other variables', async () => {
    const list = [1]
    await perform(
      'variable',
      { variableName: 'list', operation: 'append', value: 2 },
      { variables: { list } },
    )
    expect(list).toEqual([1])
  })
})
