import { describe, expect, it } from 'vitest'
import { findingText } from '../../../../../src/core/documents/index.js'
import { lint } from '../../../../../src/core/flows/files/check/lint.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'
import { writeReadable } from '../../../../../src/core/flows/files/write.js'
import type { FlowGraph } from '../../../../../src/core/flows/graph/graph.js'

const flow = (condition: string, more = ''): string => `name: n
nodes:
  go: {type: webhookTrigger, next: rsi}
  rsi: {type: variable, with: {variableName: rsi, value: 25}, next: [note, check, note]}
  check:
    if: ${condition}
    yes: note
  note: {type: log, with: {message: hi}}
${more}`

/** Returns the graph, or the findings as text. */
function graphOf(text: string): FlowGraph {
  const read = readWorkflow(text, 'f')
  if (!read.ok) throw new Error(read.findings.map(findingText).join('\n'))
  return read.value.graph
}

function findings(text: string): string[] {
  const read = readWorkflow(text, 'f')
  return (read.ok ? lint(read.value) : read.findings).map(findingText)
}

const shape = ({ nodes, edges }: FlowGraph) => ({
  nodes: nodes.map(({ id, type, data }) => [id, type, data]),
  edges: edges.map(({ source, target, sourceHandle, targetHandle }) =>
    [source, sourceHandle, target, targetHandle].filter((part) => part !== undefined).join(' '),
  ),
})

describe('an if in a file', () => {
  it('with one comparison is one condition node', () => {
    expect(shape(graphOf(flow('"{{rsi}} < 30"')))).toEqual({
      nodes: [
        ['go', 'webhookTrigger', {}],
        ['rsi', 'variable', { variableName: 'rsi', value: 25 }],
        ['check', 'varCondition', { leftValue: '{{rsi}}', operator: '<', rightValue: '30' }],
        ['note', 'log', { message: 'hi' }],
      ],
      edges: ['go rsi', 'rsi note', 'rsi check', 'rsi note', 'check yes note'],
    })
  })

  it('with several is conditions that lead into gates; links into it lead to each condition', () => {
    const { nodes, edges } = shape(
      graphOf(flow('"{{rsi}} < 30 and not ({{time}} >= 15:05 or {{rsi}} == 0)"')),
    )
    expect(nodes.slice(2, 8)).toEqual([
      ['check.1', 'varCondition', { leftValue: '{{rsi}}', operator: '<', rightValue: '30' }],
      ['check.2.1.1', 'timeCondition', { targetTime: '15:05', operator: '>=' }],
      ['check.2.1.2', 'varCondition', { leftValue: '{{rsi}}', operator: '==', rightValue: '0' }],
      ['check.2.1', 'orGate', { inputCount: 2 }],
      ['check.2', 'notGate', {}],
      ['check', 'andGate', { inputCount: 2 }],
    ])
    expect(edges).toEqual([
      'go rsi',
      'rsi note',
      'rsi check.1',
      'rsi check.2.1.1',
      'rsi check.2.1.2',
      'rsi note',
      'check.1 check input-0',
      'check.2.1.1 check.2.1 input-0',
      'check.2.1.2 check.2.1 input-1',
      'check.2.1 check.2 input',
      'check.2 check input-1',
      'check yes note',
    ])
  })

  it('keeps the ids of its parts if a term is added at the end', () => {
    const ids = (text: string) => graphOf(flow(text)).nodes.map(({ id }) => id)
    const [two, three] = [
      ids('"{{rsi}} < 1 and {{rsi}} > 0"'),
      ids('"{{rsi}} < 1 and {{rsi}} > 0 and {{rsi}} > 2"'),
    ]
    expect(three.filter((id) => !two.includes(id))).toEqual(['check.3'])
  })

  it('is written in full once somebody has edited its nodes elsewhere', () => {
    const edits: ((graph: FlowGraph) => void)[] = [
      ({ nodes }) => Object.assign(nodes[2]?.data ?? {}, { label: 'RSI low?' }),
      ({ nodes }) => Object.assign(nodes[2]?.data ?? {}, { operator: 'lt' }),
      ({ nodes }) => Object.assign(nodes[4]?.data ?? {}, { inputCount: 3 }),
      ({ edges }) => edges.splice(2, 1),
      ({ edges }) => edges.push({ id: 'x', source: 'check.1', target: 'note', sourceHandle: 'no' }),
      ({ edges }) => edges.push({ id: 'x', source: 'rsi', target: 'check' }),
      ({ nodes }) => nodes.reverse(),
    ]
    for (const edit of edits) {
      const graph = graphOf(flow('"{{rsi}} < 30 and {{rsi}} > 10"'))
      edit(graph)
      const written = writeReadable({ name: 'n', description: null, graph })
      expect(written).toContain('type: andGate')
      expect(shape(graphOf(written)).nodes).toEqual(shape(graph).nodes)
    }
  })

  it('of which only one cannot be folded leaves the others as lines', () => {
    const graph = graphOf(
      flow('"{{rsi}} < 30 and {{rsi}} > 10"', '  late: {if: "{{time}} > 15:00", yes: note}\n'),
    )
    graph.edges.push({ id: 'x', source: 'rsi', target: 'check' })
    const written = writeReadable({ name: 'n', description: null, graph })
    expect(written).toContain('if: "{{time}} > 15:00"')
    expect(written).toContain('type: andGate')
  })
})

describe('mistakes in an if', () => {
  it.each([
    [
      'plain',
      "'{{rsi}} < 30 and'",
      ['f:6:26: error[invalid_condition]: This "if" ends too early: a value is missing.'],
    ],
    ['in double quotes', '"{{rsi}} = 30"', ['f:6:18: error[invalid_condition]: Write "==" to compare.']],
    [
      'behind an escaped quote',
      '"{{rsi}} == \\"a\\" oder {{rsi}} == 1"',
      [
        'f:6:27: error[invalid_condition]: "and" or "or" is missing before "oder". Write a variable as {{oder}}, and text in quotes.',
      ],
    ],
    [
      'in the second line of a folded text',
      '>-\n      {{rsi}} > 10\n      and {{rsi}} =< 30',
      ['f:8:19: error[invalid_condition]: Write "==" to compare.'],
    ],
    [
      'a reference that nothing fills in',
      '"{{rsi}} < 30 and {{rzi}} > 10"',
      ['f:6:27: error[unresolved_variable]: Node \'check.2\': {{rzi}} in leftValue: no node stores "rzi".'],
    ],
  ])('%s: the position is that of the mistake', (_what, condition, expected) => {
    expect(findings(flow(condition))).toEqual(expected)
  })

  it('a link to a part', () => {
    const text = flow(
      '"{{rsi}} < 30 and {{rsi}} > 10"',
      '  late: {type: log, with: {message: hi}, next: [note, check.2]}\n',
    )
    expect(findings(text)).toEqual([
      'f:9:55: error[dangling_edge]: "check.2" is a part of the "if" in "check": lead to "check" instead.',
    ])
  })

  it('an id of a part that is taken', () => {
    const text = flow('"{{rsi}} < 30 and {{rsi}} > 10"', '  check.2: {type: log, with: {message: hi}}\n')
    expect(findings(text)).toEqual([
      'f:9:3: error[duplicate_id]: "check.2" is the id of a part of the "if" in "check": use another id.',
    ])
  })

  it.each([
    ['{if: "{{rsi}} < 1", type: log}', 'nodes.a: A node has a type or an if.'],
    ['{label: nothing}', 'nodes.a: A node has a type or an if.'],
    ['{if: "{{rsi}} < 1", with: {x: 1}}', 'nodes.a: An if has no with.'],
  ])('%s', (node, message) => {
    expect(findings(`name: n\nnodes:\n  a: ${node}\n`)).toEqual([`f:3:3: error[invalid_value]: ${message}`])
  })
})
