import { describe, expect, onTestFinished, test } from 'vitest'
import { PublicError } from '../../../../src/core/errors/index.js'
import { Cancellation } from '../../../../src/core/flows/engine/cancellation.js'
import type { Body } from '../../../../src/core/flows/ports.js'
import { Database, RowsFirst } from '../../../../src/core/storage/index.js'
import { BatchStatement } from '../../../../src/core/storage/statements/batch.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { tempFile } from '../../../support/files/temp.js'
import { broken, edges, graphOf, no, node, note, order, run, unknown, yes } from '../graphs.js'
import { FRIDAY_11, recordingPorts } from '../support.js'

describe('the walk', () => {
  test('goes depth first, in the order of the edges and not of the nodes', async () => {
    const graph = graphOf(
      { d: note(), c: note(), b: note(), a: note() },
      't -> a',
      't -> d',
      'a -> c',
      'a -> b',
    )
    expect((await run(graph)).visited).toEqual(['t', 'a', 'c', 'b', 'd'])
  })

  test('begins at the first trigger and logs the name of the workflow', async () => {
    const { lines, status, error } = await run(graphOf({ a: note('hello') }, 't -> a'))
    expect(lines).toEqual(['Starting workflow: Test flow', 'Workflow started', '[LOG] hello'])
    expect({ status, error }).toEqual({ status: 'completed', error: undefined })
  })

  test('without a trigger fails', async () => {
    const outcome = await run({ nodes: [node('a', 'log')], edges: [] })
    expect(outcome).toMatchObject({ status: 'failed', error: 'No trigger node found', aborted: true })
    expect(outcome.lines).toContain('Error: No trigger node found')
  })

  test('skips edges to missing nodes and nodes of unknown type', async () => {
    const graph = graphOf({ a: note(), x: ['nosuch'] }, 't -> gone', 't -> x', 'x -> a', 't -> a')
    expect(await run(graph)).toMatchObject({ status: 'completed', visited: ['t', 'a'] })
  })

  test('runs a node with two incoming paths twice, with all nodes after it', async () => {
    const graph = graphOf(
      { a: note(), b: note(), d: note(), e: note() },
      't -> a',
      't -> b',
      'a -> d',
      'b -> d',
      'd -> e',
    )
    expect((await run(graph)).visited).toEqual(['t', 'a', 'd', 'e', 'b', 'd', 'e'])
  })

  test('lets later siblings see what earlier ones set', async () => {
    const graph = graphOf(
      { a: ['variable', { variableName: 'x', value: '5' }], b: note('x is {{x}}') },
      't -> a',
      't -> b',
    )
    expect((await run(graph)).lines).toContain('[LOG] x is 5')
  })
})

describe('from a condition', () => {
  const after = { y: note(), n: note(), both: note() }
  test.each([
    ['true', yes, ['yes', 'no'], ['t', 'c', 'y', 'both']],
    ['false', no, ['yes', 'no'], ['t', 'c', 'n', 'both']],
    ['true, by the older names', yes, ['true', 'false'], ['t', 'c', 'y', 'both']],
    ['false, by the older names', no, ['true', 'false'], ['t', 'c', 'n', 'both']],
    ['undecided', unknown, ['yes', 'no'], ['t', 'c', 'both']],
  ])('%s', async (_what, condition, [one, other], visited) => {
    const graph = graphOf({ c: condition, ...after }, 't -> c', `c ${one}> y`, `c ${other}> n`, 'c -> both')
    const outcome = await run(graph)
    expect(outcome.visited).toEqual(visited)
    expect(outcome.status).toBe(condition === unknown ? 'failed' : 'completed')
  })

  test('an undecided condition is logged', async () => {
    const outcome = await run(graphOf({ c: unknown, y: order }, 't -> c', 'c yes> y'))
    const message = "leftValue did not resolve to a number: '{{nowhere}}'"
    expect(outcome.failures).toEqual([{ node: 'c', type: 'varCondition', message }])
    expect(outcome.error).toBe(`varCondition: ${message}`)
    expect(outcome.lines).toContain(`varCondition could not be evaluated (${message})`)
    expect(outcome.ports.sent).toEqual([])
  })

  test('an empty handle is no handle', async () => {
    const graph = graphOf({ c: no, a: note() }, 't -> c')
    graph.edges.push({ id: 'x', source: 'c', target: 'a', sourceHandle: '' })
    expect((await run(graph)).visited).toEqual(['t', 'c', 'a'])
  })
})

describe('a gate', () => {
  const wired = (kind: string, ...inputs: readonly (readonly [string, Record<string, unknown>])[]) =>
    graphOf(
      {
        ...Object.fromEntries(inputs.map((input, index) => [`c${index}`, input])),
        g: [kind],
        y: order,
        n: note('no'),
      },
      ...inputs.map((_, index) => `t -> c${index}`),
      ...inputs.map((_, index) => `c${index} yes> g`),
      'g yes> y',
      'g no> n',
    )

  test.each([
    ['andGate', [yes, yes], 'y', 'AND Gate: [True, True] -> True'],
    ['andGate', [no, yes], 'n', 'AND Gate: [False, True] -> False'],
    ['andGate', [yes, no], 'n', 'AND Gate: [True, False] -> False'],
    ['orGate', [no, yes], 'y', 'OR Gate: [False, True] -> True'],
    ['orGate', [yes, no], 'y', 'OR Gate: [True, False] -> True'],
    ['orGate', [no, no], 'n', 'OR Gate: [False, False] -> False'],
    ['notGate', [yes], 'n', 'NOT Gate: True -> False'],
    ['notGate', [no], 'y', 'NOT Gate: False -> True'],
  ] as const)('%s counts results on any handle: %#', async (kind, inputs, exit, line) => {
    const { visited, lines, status } = await run(wired(kind, ...inputs))
    expect(visited.slice(-1)).toEqual([exit])
    expect(visited.filter((id) => id === 'g')).toEqual(['g'])
    expect(lines).toContain(line)
    expect(status).toBe('completed')
  })

  test('logs how many inputs it waits for', async () => {
    const { lines } = await run(wired('andGate', yes, yes, yes))
    expect(lines.filter((line) => line.includes('waiting'))).toEqual([
      'andGate: waiting for 2 more input(s) before evaluating',
      'andGate: waiting for 1 more input(s) before evaluating',
    ])
  })

  test('with four conditions of one parent sends one order', async () => {
    const { ports } = await run(wired('andGate', yes, yes, yes, yes))
    expect(ports.sent).toHaveLength(1)
  })

  test.each([
    ['first', [unknown, yes]],
    ['last', [yes, unknown]],
    ['alone before NOT', [unknown]],
  ] as const)('with an undecided input %s never decides', async (where, inputs) => {
    for (const kind of where === 'alone before NOT' ? ['notGate'] : ['andGate', 'orGate']) {
      const { visited, ports, status } = await run(wired(kind, ...inputs))
      expect(visited).not.toContain('g')
      expect(ports.sent).toEqual([])
      expect(status).toBe('failed')
    }
  })

  test('does not decide if an unnamed edge delivers an undecided result', async () => {
    const graph = graphOf({ c: unknown, g: ['notGate'], y: order }, 't -> c', 'c -> g', 'g yes> y')
    expect((await run(graph)).ports.sent).toEqual([])
  })

  test('stays undecided after an undecided input, even if it is decided later', async () => {
    const graph = graphOf(
      {
        c: ['varCondition', { leftValue: '{{x}}', operator: '>', rightValue: '0' }],
        x: ['variable', { variableName: 'x', value: '1' }],
        g: ['orGate'],
        y: order,
      },
      't -> c',
      't -> x',
      'x -> c',
      'c -> g',
      'g yes> y',
    )
    const { visited, ports } = await run(graph)
    expect(visited).toEqual(['t', 'c', 'x', 'c'])
    expect(ports.sent).toEqual([])
  })

  test('with an input on a branch that was not taken waits forever, and the log warns', async () => {
    const graph = graphOf(
      { a: no, b: yes, c: yes, g: ['andGate'], y: order },
      't -> a',
      't -> c',
      'a yes> b',
      'b yes> g',
      'c yes> g',
      'g yes> y',
    )
    const { logs, visited, status } = await run(graph)
    expect(visited).toEqual(['t', 'a', 'c'])
    expect(logs.at(-1)).toMatchObject({
      level: 'warning',
      message: "andGate 'g' has no result: 1 of its inputs had none",
    })
    expect(status).toBe('completed')
  })

  test('feeds other gates', async () => {
    const graph = graphOf(
      { a: yes, b: no, both: ['andGate'], not: ['notGate'], y: order },
      't -> a',
      't -> b',
      'a -> both',
      'b -> both',
      'both -> not',
      'not yes> y',
    )
    expect((await run(graph)).ports.sent).toHaveLength(1)
  })

  test('NOT with several inputs uses the first', async () => {
    const graph = graphOf(
      { a: no, b: yes, g: ['notGate'], y: note() },
      't -> a',
      't -> b',
      'a -> g',
      'b -> g',
      'g yes> y',
    )
    expect((await run(graph)).visited).toEqual(['t', 'a', 'g', 'y', 'b'])
  })
})

describe('an error', () => {
  test('stops its branch, not its siblings, and fails the run', async () => {
    const graph = graphOf(
      { a: broken, hedge: order, b: note('still here'), c: broken },
      't -> a',
      'a -> hedge',
      't -> b',
      't -> c',
    )
    const outcome = await run(graph)
    expect(outcome.visited).toEqual(['t', 'a', 'b', 'c'])
    expect(outcome.ports.sent).toEqual([])
    expect(outcome).toMatchObject({
      status: 'failed',
      aborted: false,
      error: 'mathExpression: division by zero; mathExpression: division by zero',
    })
    expect(outcome.lines).toContain('Stopping this branch: mathExpression node failed (division by zero)')
  })

  test('level of a log node does not fail the run', async () => {
    const graph = graphOf({ a: ['log', { message: 'oh', level: 'error' }] }, 't -> a')
    expect((await run(graph)).status).toBe('completed')
  })

  test('inside the service ends the whole walk and does not throw', async () => {
    const ports = recordingPorts()
    ports.orders.send = () => Promise.reject(new TypeError('a fault'))
    const faults: unknown[] = []
    const onFault = (fault: unknown) => faults.push(fault)
    const outcome = await run(graphOf({ a: order, b: note() }, 't -> a', 't -> b'), { ports, onFault })
    const error = 'An unexpected error occurred'
    expect(outcome).toMatchObject({ status: 'failed', error, aborted: true, visited: ['t', 'a'] })
    expect(outcome.logs.at(-1)).toMatchObject({ message: `Error: ${error}`, level: 'error' })
    expect(faults).toEqual([new TypeError('a fault')])
  })

  test.each([
    ['an order', order],
    ['a message', ['telegramAlert', { message: 'hello' }]],
  ] as const)('before %s prevents it and ends the walk', async (_name, acts) => {
    const { begin } = await beginning('nowhere')
    const outcome = await run(graphOf({ a: acts, b: note() }, 't -> a', 't -> b'), { begin })
    const error = 'An unexpected error occurred'
    expect(outcome).toMatchObject({ status: 'failed', error, aborted: true, visited: ['t', 'a'] })
    expect([...outcome.ports.sent, ...outcome.ports.messages]).toEqual([])
  })
})

/** The row of a run that begins, and how often it is stored. */
async function beginning(table = 'runs') {
  const db = await Database.open({ file: tempFile(), schema: undefined })
  onTestFinished(() => db.close())
  await db.write((tx) => tx.exec('create table runs (status text not null)'))
  const statement = new BatchStatement({ table, columns: ['status'] })
  const begin = new RowsFirst(db, () => [{ statement, rows: [['running']] }])
  return { begin, stored: () => db.queryRaw('select status from runs') }
}

test('the beginning is stored once, before the first effect', async () => {
  const { begin, stored } = await beginning()
  const { ports } = await run(graphOf({ a: note(), b: order, c: order }, 't -> a', 'a -> b', 'b -> c'), {
    begin,
  })
  expect(ports.sent).toHaveLength(2)
  expect(await stored()).toEqual([{ status: 'running' }])
})

test('the beginning of a run that only computes is not stored', async () => {
  const { begin, stored } = await beginning()
  await run(graphOf({ a: note() }, 't -> a'), { begin })
  expect(await stored()).toEqual([])
})

describe('limits', () => {
  const chain = (length: number) => ({
    nodes: [node('n0', 'start'), ...Array.from({ length: length - 1 }, (_, i) => node(`n${i + 1}`, 'log'))],
    edges: edges(...Array.from({ length: length - 1 }, (_, i) => `n${i} -> n${i + 1}`)),
  })

  test('a chain of 101 nodes passes', async () => {
    const { status, visited } = await run(chain(101))
    expect(status).toBe('completed')
    expect(visited).toHaveLength(101)
  })

  test('one of 102 does not', async () => {
    const { error, visited, aborted } = await run(chain(102))
    expect({ error, aborted }).toEqual({ error: 'Maximum node depth (100) exceeded', aborted: true })
    expect(visited).toHaveLength(101)
  })

  test('layered diamonds end at 500 visits', async () => {
    const layers = Array.from({ length: 12 }, (_, i) => i)
    const outcome = await run({
      nodes: [
        node('j0', 'start'),
        ...layers.flatMap((i) => [`a${i}`, `b${i}`, `j${i + 1}`].map((id) => node(id, 'log'))),
      ],
      edges: edges(
        ...layers.flatMap((i) => [
          `j${i} -> a${i}`,
          `j${i} -> b${i}`,
          `a${i} -> j${i + 1}`,
          `b${i} -> j${i + 1}`,
        ]),
      ),
    })
    expect(outcome.error).toBe('Maximum node visits (500) exceeded')
    expect(outcome.visited).toHaveLength(500)
  })

  test('500 visits pass', async () => {
    const wide = Array.from({ length: 499 }, (_, i) => `n${i}`)
    const graph = {
      nodes: [node('t', 'start'), ...wide.map((id) => node(id, 'log'))],
      edges: edges(...wide.map((id) => `t -> ${id}`)),
    }
    expect(await run(graph)).toMatchObject({ status: 'completed' })
  })

  test('a cycle ends at the depth limit', async () => {
    const outcome = await run(graphOf({ a: note(), b: note() }, 't -> a', 'a -> b', 'b -> a'))
    expect(outcome.error).toBe('Maximum node depth (100) exceeded')
  })
})

describe('a run of much work', () => {
  /** Returns the longest piece of a run between two turns of the event loop, in nodes. */
  async function longestPiece(data: [type: string, data: Body], payload: Body = {}): Promise<number> {
    const ids = Array.from({ length: 100 }, (_, at) => `n${at}`)
    const graph = graphOf(Object.fromEntries(ids.map((id) => [id, data])), ...ids.map((id) => `t -> ${id}`))
    let [piece, longest] = [0, 0]
    const tick = () => {
      longest = Math.max(longest, piece)
      piece = 0
      timer = setImmediate(tick)
    }
    let timer = setImmediate(tick)
    let last = ''
    const visited = (node?: string) => {
      if (node === undefined || node === last) return
      last = node
      piece += 1
    }
    const outcome = await run(graph, { payload, onLog: ({ node }) => visited(node) })
    clearImmediate(timer)
    expect(outcome.visited).toHaveLength(101)
    return Math.max(longest, piece)
  }

  test('lets ticks and orders go first after 32 nodes', async () => {
    expect(await longestPiece(['log', { message: 'short' }])).toBeLessThanOrEqual(32)
  })

  test.each<[string, [string, Body], Body]>([
    ['long text', ['log', { message: 'a {{webhook.text}}' }], { text: 'x'.repeat(300_000) }],
    [
      'long expression',
      ['mathExpression', { expression: '{{webhook.sum}}' }],
      { sum: '1+1'.padEnd(9_999, '+1') },
    ],
    [
      'large value',
      ['variable', { variableName: 'v', operation: 'set', value: '{{webhook.text}}' }],
      { text: 'x'.repeat(300_000) },
    ],
  ])('lets them go first after a %s', async (_what, node, payload) => {
    expect(await longestPiece(node, payload)).toBeLessThanOrEqual(2)
  })
})

describe('the variables of a run', () => {
  const set = (name: string): [string, Body] => [
    'variable',
    { variableName: name, operation: 'set', value: '{{webhook.text}}' },
  ]

  test('are together at most four million characters; one that is set again counts once', async () => {
    const payload = { text: 'x'.repeat(1_000_000) }
    const names = ['a', 'b', 'c', 'd', 'e']
    const graph = graphOf(
      Object.fromEntries(names.map((name) => [name, set(name)])),
      ...names.map((name) => `t -> ${name}`),
    )
    const outcome = await run(graph, { payload })
    expect(Object.keys(outcome.variables)).toEqual(['webhook', 'a', 'b', 'c'])
    expect(outcome.failures.map(({ message }) => message)).toEqual(
      Array(2).fill('The variables of the run are longer than 4194304 characters together'),
    )
    const again = graphOf(
      Object.fromEntries(names.map((name) => [name, set('same')])),
      ...names.map((name) => `t -> ${name}`),
    )
    expect(await run(again, { payload })).toMatchObject({ status: 'completed' })
  })

  test('keep the result of an order in any case', async () => {
    const payload = { text: 'x'.repeat(1_000_000) }
    const buy: [string, Body] = ['placeOrder', { ...order[1], outputVariable: 'sent' }]
    const graph = graphOf(
      { a: set('a'), b: set('b'), c: set('c'), buy },
      ...['a', 'b', 'c', 'buy'].map((name) => `t -> ${name}`),
    )
    const outcome = await run(
      graph,
      { payload },
      { orders: { placeorder: { orderid: 'x'.repeat(500_000) } } },
    )
    expect(outcome.failures).toEqual([])
    expect(outcome.variables).toHaveProperty('sent')
  })
})

describe('orders', () => {
  test('have an idempotency key of run, node and visit', async () => {
    const graph = graphOf({ a: note(), b: note(), o: order }, 't -> a', 't -> b', 'a -> o', 'b -> o')
    const { ports } = await run(graph)
    expect(ports.sent.map(({ context }) => context)).toEqual([
      { userId: 'asha', idempotencyKey: 'flow:7:o:3:1' },
      { userId: 'asha', idempotencyKey: 'flow:7:o:5:1' },
    ])
  })

  test.each([
    ['webhook.qty', {}],
    ['webhook.qty', { qty: null }],
    ['webhook.legs[1].qty', { legs: [{ qty: 1 }] }],
    ['webhook.__proto__', { qty: 1 }],
  ])('are not sent with {{%s}} unresolved', async (path, payload) => {
    const graph = graphOf(
      { o: ['placeOrder', { ...order[1], quantity: `{{${path}}}`, price: '{{x}}' }] },
      't -> o',
    )
    const { ports, failures } = await run(graph, { payload })
    expect(ports.sent).toEqual([])
    expect(failures[0]?.message).toBe(
      `placeOrder has unresolved variable(s) in price='{{x}}', quantity='{{${path}}}'. Refusing to send it with substituted values.`,
    )
  })

  test('are not sent if a field that the node ignores is unresolved', async () => {
    const options = { underlying: 'NIFTY', quantity: 1, exchange: '{{webhook.exchange}}' }
    const { ports, failures } = await run(graphOf({ o: ['optionsOrder', options] }, 't -> o'), {
      payload: {},
    })
    expect(ports.sent).toEqual([])
    expect(failures[0]?.message).toContain("exchange='{{webhook.exchange}}'")
  })

  test('are not sent with a reference inside an inserted value', async () => {
    const graph = graphOf({ o: ['placeOrder', { ...order[1], symbol: '{{webhook.s}}' }] }, 't -> o')
    const { ports, failures } = await run(graph, { payload: { s: 'A{{b}}' } })
    expect(ports.sent).toEqual([])
    expect(failures[0]?.message).toContain("symbol='A{{b}}'")
  })

  test('are not sent with a quantity that is not a number', async () => {
    const graph = graphOf({ o: ['placeOrder', { ...order[1], quantity: '{{webhook.q}}' }] }, 't -> o')
    const { ports, status } = await run(graph, { payload: { q: 'abc' } })
    expect({ sent: ports.sent, status }).toEqual({ sent: [], status: 'failed' })
  })
})

describe('cancelling', () => {
  test('ends a delay at once and runs nothing after it', async () => {
    const clock = new VirtualClock(FRIDAY_11)
    const cancel = new Cancellation()
    const graph = graphOf({ d: ['delay', { delayValue: 60 }], o: order }, 't -> d', 'd -> o')
    const running = run(graph, { cancellation: cancel }, { clock })
    await clock.advance(30_000)
    cancel.cancel(new PublicError('Cancelled by the owner'))
    const outcome = await running
    expect(outcome).toMatchObject({
      status: 'failed',
      aborted: true,
      cancelled: true,
      error: 'Cancelled by the owner',
    })
    expect(outcome.ports.sent).toEqual([])
    expect(clock.pending).toBe(0)
  })

  test('between two nodes prevents the second', async () => {
    const cancel = new Cancellation()
    const placeorder = () => {
      cancel.cancel(new PublicError('Cancelled'))
      return { orderid: 'O1' }
    }
    const graph = graphOf({ a: order, b: order }, 't -> a', 'a -> b')
    const outcome = await run(graph, { cancellation: cancel }, { orders: { placeorder } })
    expect(outcome.ports.sent).toHaveLength(1)
    expect(outcome).toMatchObject({ error: 'Cancelled', visited: ['t', 'a'] })
  })

  test('before the run begins runs nothing', async () => {
    const cancellation = new Cancellation()
    cancellation.cancel(new PublicError('Cancelled'))
    expect((await run(graphOf({ a: order }, 't -> a'), { cancellation })).visited).toEqual([])
  })
})

describe('secrets', () => {
  const KEPT: Readonly<Record<string, string>> = { key: 's3cr3t', long: 's3cr3t-and-more', odd: 'a"b\\c' }
  const secret = (kind: string, name: string) => (kind === 'secret' ? KEPT[name] : undefined)

  test('are hidden in the log and in errors, the longer one whole', async () => {
    const graph = graphOf(
      {
        a: note(`key $\{secret:key}, more $\{ secret:key }, long $\{secret:long}`),
        b: ['varCondition', { leftValue: `x$\{secret:key}`, operator: '>', rightValue: '1' }],
      },
      't -> a',
      't -> b',
    )
    const outcome = await run(graph, { secret })
    expect(outcome.lines).toContain(`[LOG] key ***, more $\{ secret:key }, long ***`)
    expect(outcome.error).toBe("varCondition: leftValue did not resolve to a number: 'x***'")
    expect(JSON.stringify([outcome.logs, outcome.error, outcome.failures])).not.toMatch(/s3cr3t|and-more/)
  })

  test('are hidden in their JSON form', async () => {
    const graph = graphOf(
      {
        a: ['variable', { variableName: 'x', value: { k: `$\{secret:odd}` } }],
        b: note('{{x}}'),
      },
      't -> a',
      'a -> b',
    )
    expect((await run(graph, { secret })).lines).toContain('[LOG] {"k":"***"}')
  })

  test('are not resolved in inserted values', async () => {
    const graph = graphOf(
      { a: ['variable', { variableName: 'v', value: '{{webhook.x}}' }], b: note('{{v}} {{webhook.x}}') },
      't -> a',
      'a -> b',
    )
    const { lines } = await run(graph, { secret, payload: { x: `$\{secret:key}` } })
    expect(lines).toContain(`[LOG] $\{secret:key} $\{secret:key}`)
  })

  test('are at most fifty in a run', async () => {
    const texts = Array.from({ length: 51 }, (_, at) => `$\{secret:s${at}}`)
    const outcome = await run(
      graphOf({ a: note(texts.slice(0, 50).join('')), b: note(texts.join('')) }, 't -> a', 'a -> b'),
      {
        secret: (_kind, name) => `value of ${name}`,
      },
    )
    expect(outcome.failures).toMatchObject([{ node: 'b', message: 'A run may use at most 50 secrets' }])
  })

  test('that are not set fail the node', async () => {
    const { error } = await run(
      graphOf({ a: note(`$\{secret:none}`), b: note(`$\{env:HOME}`) }, 't -> a', 't -> b'),
      { secret },
    )
    expect(error).toBe("log: The secret 'none' is not set; log: The environment variable 'HOME' is not set")
  })
})

describe('variables', () => {
  test('of the trigger are in webhook, unless there are none', async () => {
    const graph = graphOf({ a: note('{{webhook.order.qty}}') }, 't -> a')
    expect((await run(graph, { payload: { order: { qty: 5 } } })).lines).toContain('[LOG] 5')
    expect((await run(graph, { payload: {} })).variables).toEqual({})
  })

  test('store the result under the trimmed name, and the last one wins', async () => {
    const graph = graphOf(
      {
        a: ['placeOrder', { ...order[1], outputVariable: ' out ' }],
        b: ['placeOrder', { ...order[1], outputVariable: 'out' }],
      },
      't -> a',
      'a -> b',
    )
    const { variables, lines } = await run(graph)
    expect(variables.out).toMatchObject({ status: 'success', orderid: 'O2' })
    expect(lines).toContain('Stored result in variable: out')
  })

  test.each([
    ['blank', 'placeOrder', '  '],
    ['of a node that keeps nothing', 'log', 'out'],
  ])('are not stored for a name that is %s', async (_what, type, outputVariable) => {
    const graph = graphOf({ a: [type, { ...order[1], outputVariable }] }, 't -> a')
    expect((await run(graph)).variables).toEqual({})
  })

  test('store a refused response, and nothing of a node that sent nothing', async () => {
    const data = { ...order[1], outputVariable: 'out' }
    const orders = { placeorder: { status: 'error', message: 'No margin', code: 403 } }
    const refused = await run(graphOf({ a: ['placeOrder', data] }, 't -> a'), {}, { orders })
    expect(refused.variables.out).toMatchObject({ status: 'error', error: 'No margin', code: 403 })
    const invalid = await run(graphOf({ a: ['placeOrder', { ...data, quantity: 'x' }] }, 't -> a'))
    expect(invalid.variables).toEqual({})
  })

  test('named like a prototype member are ordinary variables', async () => {
    const graph = graphOf(
      {
        a: ['variable', { variableName: '__proto__', value: '1' }],
        b: note('{{__proto__}} {{constructor}} {{a.constructor}}'),
      },
      't -> a',
      'a -> b',
    )
    const { lines } = await run(graph, { variables: { a: {} } })
    expect(lines).toContain('[LOG] 1 {{constructor}} {{a.constructor}}')
  })
})
