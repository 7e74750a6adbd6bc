import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diff } from '../../../../../src/core/flows/files/diff/diff.js'
import { graphDifferences } from '../../../../../src/core/flows/files/diff/elements.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'
import type { Workflow } from '../../../../../src/core/flows/files/workflow.js'
import { rounds } from '../../../../support/chance/chance.js'
import { graphs } from '../graphs.js'

const BASE = `name: n
nodes:
  go: {type: start, with: {time: "09:15"}, next: range}
  range: {type: varCondition, with: {leftValue: "{{w}}", rightValue: "0.45"}, yes: enter, no: [skip, enter]}
  enter: {type: log, with: {message: in}, next: [skip]}
  skip: {type: log, label: Out, with: {message: out}}
`

function read(text: string): Workflow {
  const result = readWorkflow(text, 'f.yaml')
  if (!result.ok) throw new Error(JSON.stringify(result.findings))
  return result.value
}

const none = { node: null, field: null, to: null, before: null, after: null }

test.each([
  ['nothing', BASE, []],
  [
    'the name',
    BASE.replace('name: n', 'name: m'),
    [{ kind: 'changed', of: 'workflow', field: 'name', before: 'n', after: 'm' }],
  ],
  [
    'a field',
    BASE.replace('"0.45"', '"0.5"'),
    [{ kind: 'changed', of: 'field', node: 'range', field: 'with.rightValue', before: '0.45', after: '0.5' }],
  ],
  [
    'an edge among several',
    BASE.replace('[skip, enter]', 'enter'),
    [{ kind: 'removed', of: 'edge', node: 'range', field: 'no', to: 'skip' }],
  ],
  [
    'an edge of another branch',
    BASE.replace('next: [skip]', 'always: [skip]').replace('enter: {type: log', 'enter: {type: timeWindow'),
    expect.arrayContaining([
      { ...none, kind: 'removed', of: 'edge', node: 'enter', field: 'next', to: 'skip' },
      { ...none, kind: 'added', of: 'edge', node: 'enter', field: 'always', to: 'skip' },
    ]),
  ],
  [
    'the order of edges',
    BASE.replace('[skip, enter]', '[enter, skip]'),
    [
      {
        kind: 'changed',
        of: 'order',
        node: 'range',
        field: 'no',
        before: ['skip', 'enter'],
        after: ['enter', 'skip'],
      },
    ],
  ],
  [
    'a new node, with its edges by themselves',
    `${BASE}  more: {type: log, with: {message: x}, next: skip}\n`,
    [
      { kind: 'added', of: 'node', node: 'more', after: { type: 'log', with: { message: 'x' } } },
      { kind: 'added', of: 'edge', node: 'more', field: 'next', to: 'skip' },
    ],
  ],
])('%s', (_, text, expected) => {
  const rows = graphDifferences(read(BASE), read(text))
  expect(rows).toEqual(Array.isArray(expected) ? expected.map((row) => ({ ...none, ...row })) : expected)
})

test('there is a difference exactly when a plan has one, and the other way round it is of the same things', () => {
  fc.assert(
    fc.property(graphs, graphs, (one, other) => {
      const [a, b] = [one, other].map((graph): Workflow => ({ name: 'n', description: null, graph }))
      if (!a || !b) return
      const things = (from: Workflow, to: Workflow) =>
        graphDifferences(from, to)
          .map(({ of, node, field, to: leadsTo }) => JSON.stringify([of, node, field, leadsTo]))
          .sort()
      expect(things(a, b).length > 0).toBe(diff(a, b).length > 0)
      expect(things(a, b)).toEqual(things(b, a))
    }),
    { numRuns: rounds(100) },
  )
})
