import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Condition, Operand } from '../../../../../src/core/flows/files/condition/parse.js'
import { parseCondition } from '../../../../../src/core/flows/files/condition/parse.js'
import { conditionText } from '../../../../../src/core/flows/files/condition/text.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'
import { writeReadable } from '../../../../../src/core/flows/files/write.js'
import type { FlowGraph } from '../../../../../src/core/flows/graph/graph.js'
import { run } from '../../graphs.js'

/** Variables of a run. `gone` has no value, so a comparison with it is undecided. */
const VARIABLES = { n: 5, m: -2.5, flag: true, s: 'complete', t: "it's" }
const NUMBERS: Readonly<Record<string, number>> = {
  '{{n}}': 5,
  '{{m}}': -2.5,
  '{{flag}}': 1,
  true: 1,
  false: 0,
}
const TEXTS: Readonly<Record<string, string>> = { '{{s}}': 'complete', '{{t}}': "it's", '{{n}}': '5' }
/** The clock of the run. */
const NOW = '11:00:00'

const operand = (kind: Operand['kind'], text: string): Operand => ({ kind, text, at: 0 })
const numeric = fc.oneof(
  fc
    .constantFrom('{{n}}', '{{m}}', '{{flag}}', '{{gone}}', '{{s}}')
    .map((text) => operand('reference', text)),
  fc.constantFrom('5', '-2.5', '+1', '.5', '1e1', '007').map((text) => operand('number', text)),
  fc.constantFrom('true', 'false').map((text) => operand('flag', text)),
)
const quoted = fc
  .constantFrom("'complete'", '"it\'s"', "''", "'5'", "'{{s}}'")
  .map((text) => operand('text', text))
const named = fc.constantFrom('{{s}}', '{{t}}', '{{n}}', '{{gone}}').map((text) => operand('reference', text))
const clocks = fc
  .constantFrom('10:59', '11:00', '11:00:00', '11:00:01', '9:15')
  .map((text) => operand('clock', text))

const comparison: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    kind: fc.constant('values' as const),
    left: numeric,
    operator: fc.constantFrom('<', '<=', '>', '>=', '==', '!='),
    right: numeric,
  }),
  fc.record({ named, quoted, swap: fc.boolean(), operator: fc.constantFrom('==', '!=') }).map((one) => ({
    kind: 'values' as const,
    left: one.swap ? one.quoted : one.named,
    operator: one.operator,
    right: one.swap ? one.named : one.quoted,
  })),
  fc.record({
    kind: fc.constant('clock' as const),
    left: fc.constant(operand('reference', '{{time}}')),
    operator: fc.constantFrom('<', '<=', '>', '>=', '=='),
    right: clocks,
  }),
)
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, depthSize: 'medium', withCrossShrink: true },
    comparison,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('condition'), { minLength: 2, maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant('not' as const), term: tie('condition') }),
  ),
}))

/** The result by the rules on paper; undefined if any comparison is undecided. */
function evaluated(one: Condition): boolean | undefined {
  if ('operator' in one) return compared(one)
  const results = ('term' in one ? [one.term] : one.terms).map(evaluated)
  if (results.includes(undefined)) return undefined
  if (one.kind === 'not') return !results[0]
  return one.kind === 'and' ? results.every(Boolean) : results.some(Boolean)
}

function compared({
  kind,
  left,
  operator,
  right,
}: Extract<Condition, { operator: string }>): boolean | undefined {
  if (kind === 'clock') {
    const padded = right.text.split(':').map((part) => part.padStart(2, '0'))
    if (operator === '==') return NOW.startsWith(padded.slice(0, 2).join(':'))
    const other = [...padded, '00'].slice(0, 3).join(':')
    return { '<': NOW < other, '<=': NOW <= other, '>': NOW > other, '>=': NOW >= other }[operator as '<']
  }
  if (left.kind === 'text' || right.kind === 'text') {
    const [a, b] = [left, right].map(({ kind: of, text }) => {
      if (of === 'text') return text.slice(1, -1).replace('{{s}}', 'complete')
      return TEXTS[text]
    })
    if (a === undefined || b === undefined) return undefined
    return operator === '==' ? a === b : a !== b
  }
  const [a, b] = [left, right].map(({ kind: of, text }) => (of === 'number' ? Number(text) : NUMBERS[text]))
  if (a === undefined || b === undefined) return undefined
  return { '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b, '==': a === b, '!=': a !== b }[operator]
}

function fileOf(text: string): string {
  return JSON.stringify({
    name: 'A flow',
    nodes: {
      t: { type: 'start', next: 'check' },
      check: { if: text, label: 'Check', yes: 'buy', no: ['skip', 'skip'], next: 'after' },
      buy: { type: 'log' },
      skip: { type: 'log' },
      after: { if: '{{n}} == 5', yes: 'end' },
      end: { type: 'log' },
    },
  })
}

function graphOf(text: string, file = 'flow.yaml'): FlowGraph {
  const read = readWorkflow(text, file)
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  return read.value.graph
}

describe('an if', () => {
  it('decides in the engine as it does on paper, and follows neither branch if it is undecided', async () => {
    await fc.assert(
      fc.asyncProperty(condition, async (one) => {
        const { visited, status } = await run(graphOf(fileOf(conditionText(one))), { variables: VARIABLES })
        const expected = evaluated(one)
        const path = visited.filter((id) => id === 'buy' || id === 'skip')
        expect(path).toEqual(expected === undefined ? [] : expected ? ['buy'] : ['skip', 'skip'])
        expect(status).toBe(expected === undefined ? 'failed' : 'completed')
      }),
      { numRuns: 300 },
    )
  })

  it('is written back as the same line, for the same graph', () => {
    fc.assert(
      fc.property(condition, (one) => {
        const text = conditionText(parseCondition(conditionText(one)))
        const graph = graphOf(fileOf(text))
        const written = writeReadable({ name: 'A flow', description: null, graph })
        expect(graphOf(written)).toEqual(graph)
        expect(written.match(/^ {4}if: /gm)).toHaveLength(2)
        expect(written).not.toMatch(/Gate|Condition/)
        expect(writeReadable({ name: 'A flow', description: null, graph: graphOf(written) })).toBe(written)
      }),
      { numRuns: 300 },
    )
  })
})
