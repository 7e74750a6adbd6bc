import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeText } from '../../../../../src/core/documents/index.js'
import { contentHash, diff } from '../../../../../src/core/flows/files/diff/diff.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'
import type { Workflow } from '../../../../../src/core/flows/files/workflow.js'
import { writeReadable } from '../../../../../src/core/flows/files/write.js'
import { graphs } from '../graphs.js'

function read(text: string): Workflow {
  const result = readWorkflow(text, 'f.yaml')
  if (!result.ok) throw new Error(JSON.stringify(result.findings))
  return result.value
}

const BASE = `name: n
description: d
nodes:
  go: {type: start, with: {time: "09:15", days: [0, 1]}, next: range}
  range: {type: varCondition, with: {leftValue: "{{w}}", rightValue: "0.45"}, yes: enter}
  enter: {type: httpRequest, with: {headers: {A: "1", B: "2"}}}
`

const table: [string, (text: string) => string, string[]][] = [
  ['nothing', (text) => text, []],
  ['a name', (text) => text.replace('name: n', 'name: m'), ['~ name: "n" -> "m"']],
  ['a description', (text) => text.replace('description: d\n', ''), ['- description: "d"']],
  ['a field', (text) => text.replace('"0.45"', '"0.5"'), ['~ nodes.range.with.rightValue: "0.45" -> "0.5"']],
  [
    'a number for a text',
    (text) => text.replace('"0.45"', '0.45'),
    ['~ nodes.range.with.rightValue: "0.45" -> 0.45'],
  ],
  [
    'a member of an object',
    (text) => text.replace('B: "2"', 'C: "2"'),
    ['- nodes.enter.with.headers.B: "2"', '+ nodes.enter.with.headers.C: "2"'],
  ],
  ['a list', (text) => text.replace('[0, 1]', '[0]'), ['~ nodes.go.with.days: [0,1] -> [0]']],
  [
    'a type',
    (text) => text.replace('varCondition', 'fundCheck'),
    ['~ nodes.range.type: "varCondition" -> "fundCheck"'],
  ],
  ['a label', (text) => text.replace('start,', 'start, label: Go,'), ['+ nodes.go.label: "Go"']],
  [
    'another branch',
    (text) => text.replace('yes: enter', 'no: enter'),
    ['- nodes.range.yes: "enter"', '+ nodes.range.no: "enter"'],
  ],
  [
    'an edge that is meant in any case',
    (text) => text.replace('yes: enter', 'always: enter'),
    ['- nodes.range.yes: "enter"', '+ nodes.range.always: "enter"'],
  ],
  [
    'one more edge',
    (text) => text.replace('yes: enter', 'yes: [enter, go]'),
    ['~ nodes.range.yes: "enter" -> ["enter","go"]'],
  ],
  [
    'a new node',
    (text) => `${text}  note: {type: log, next: enter}\n`,
    ['+ nodes.note: {"type":"log","next":"enter"}'],
  ],
  [
    'a node that is gone',
    (text) => text.replace(/ {2}enter.*\n/, '').replace(', yes: enter', ''),
    [
      '- nodes.enter: {"type":"httpRequest","with":{"headers":{"A":"1","B":"2"}}}',
      '- nodes.range.yes: "enter"',
    ],
  ],
  [
    'an order of nodes',
    (text) => text.replace(/( {2}range.*\n)( {2}enter.*\n)/, '$2$1'),
    ['~ nodes: ["go","range","enter"] -> ["go","enter","range"]'],
  ],
  ['a position', (text) => text.replace('start,', 'start, position: {x: 9, y: 9},'), []],
]

describe('differences between two workflows', () => {
  it.each(table)('%s', (_what, change, expected) => {
    const [before, after] = [read(BASE), read(change(BASE))]
    expect(diff(before, after).map(changeText)).toEqual(expected)
    expect(contentHash(before) !== contentHash(after)).toBe(expected.length > 0)
  })

  it.each([
    [
      'a value',
      'a}} > 1 and',
      'a}} > 2 and',
      ['~ nodes.ask.if: "{{a}} > 1 and {{b}} < 9" -> "{{a}} > 2 and {{b}} < 9"'],
    ],
    [
      'a gate',
      ' and {{',
      ' or {{',
      ['~ nodes.ask.if: "{{a}} > 1 and {{b}} < 9" -> "{{a}} > 1 or {{b}} < 9"'],
    ],
    [
      'a term more',
      ' < 9',
      ' < 9 and {{c}} == 1',
      ['~ nodes.ask.if: "{{a}} > 1 and {{b}} < 9" -> "{{a}} > 1 and {{b}} < 9 and {{c}} == 1"'],
    ],
    ['one term', ' and {{b}} < 9', '', ['~ nodes.ask.if: "{{a}} > 1 and {{b}} < 9" -> "{{a}} > 1"']],
    ['a branch', 'yes: say', 'no: say', ['- nodes.ask.yes: "say"', '+ nodes.ask.no: "say"']],
    [
      'its name',
      /ask/g,
      'asked',
      [
        '- nodes.ask: {"if":"{{a}} > 1 and {{b}} < 9","yes":"say"}',
        '~ nodes.go.next: "ask" -> "asked"',
        '+ nodes.asked: {"if":"{{a}} > 1 and {{b}} < 9","yes":"say"}',
      ],
    ],
  ])('of a condition, %s is shown in its own words', (_, from, to, expected) => {
    const text = `name: n
nodes:
  go: {type: start, next: ask}
  ask: {if: "{{a}} > 1 and {{b}} < 9", yes: say}
  say: {type: log}
`
    expect(diff(read(text), read(text.replace(from, to))).map(changeText)).toEqual(expected)
  })

  it('ignores data of editors', () => {
    const before = read(BASE)
    const edges = before.graph.edges.map((edge, index) => ({ ...edge, id: `e${index}`, animated: true }))
    const nodes = before.graph.nodes.map((node) => ({ ...node, selected: true, position: { x: 1, y: 1 } }))
    expect(diff(before, { ...before, graph: { nodes, edges } })).toEqual([])
    expect(contentHash({ ...before, graph: { nodes, edges } })).toBe(contentHash(before))
  })

  it('keeps the hash that workflows without always had in earlier versions', () => {
    const earlier = read(BASE.replace('headers: {A: "1", B: "2"}', 'url: "https://example.com"'))
    expect(contentHash(earlier)).toBe('bb5c4cad160e1ba9e2436b081e1717e1fcc69141fe9a06d8e53a696360bf91ae')
  })

  it('shows the order of the edges if it is not yes, no, next', () => {
    const after = read(BASE.replace('yes: enter', 'next: [{to: go}, {to: enter, on: yes}]'))
    const plain = read(BASE.replace('yes: enter', 'yes: enter, next: go'))
    expect(diff(plain, after).map(changeText)).toEqual(['+ nodes.range.order: ["next go","yes enter"]'])
  })

  it('the hash is equal exactly if there is no difference, for any graphs', () => {
    const workflow = (graph: Workflow['graph']): Workflow => ({ name: 'n', description: null, graph })
    fc.assert(
      fc.property(graphs, graphs, (one, other) => {
        const [before, after] = [workflow(one), workflow(other)]
        expect(contentHash(before) !== contentHash(after)).toBe(diff(before, after).length > 0)
        const again = read(writeReadable(before))
        expect(diff({ ...again, name: 'n' }, before)).toEqual([])
      }),
    )
  })
})
