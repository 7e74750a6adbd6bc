import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawingOf } from '../../../../../src/core/flows/files/draw/drawing.js'
import { mermaidOf } from '../../../../../src/core/flows/files/draw/mermaid.js'
import { treeOf } from '../../../../../src/core/flows/files/draw/tree.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'
import { graphs } from '../graphs.js'

const FLOW = `name: n
nodes:
  go: {type: start, with: {scheduleType: daily, time: "09:31"}, next: quote}
  quote: {type: getQuote, with: {symbol: SBIN, exchange: NSE, outputVariable: q}, next: [low, note]}
  low:
    if: "{{q.ltp}} < 800 and {{time}} >= 09:30 and {{q.low}} > 700 and {{q.high}} < 900"
    label: Cheap?
    yes: buy
    no: note
  buy: {type: placeOrder, with: {symbol: SBIN, exchange: NSE, action: BUY, quantity: 10}, next: note}
  note: {type: log, with: {message: 'At <"{{q.ltp}}">'}}
`

function stepsIn(text: string) {
  const read = readWorkflow(text, 'f.yaml')
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  return drawingOf(read.value.graph)
}

describe('the picture of a workflow', () => {
  it('is a tree that fits the width', () => {
    expect(treeOf(stepsIn(FLOW), 60)).toBe(
      [
        'go: start daily 09:31',
        '↓ quote: getQuote SBIN',
        '├─ low: if "Cheap?" {{q.ltp}} < 800 and {{time}} >= 09:30',
        '│  │ and {{q.low}} > 700 and {{q.high}} < 900',
        '│  ├─ yes: buy: placeOrder BUY 10 SBIN',
        '│  │  ↓ note: log At <"{{q.ltp}}">',
        '│  └─ no: note (drawn elsewhere)',
        '└─ note (drawn elsewhere)',
        '',
      ].join('\n'),
    )
  })

  it('is a Mermaid flowchart, whose labels have no sign that Mermaid would read', () => {
    expect(mermaidOf(stepsIn(FLOW))).toBe(
      [
        'flowchart TD',
        '  n0(["go: start<br/>daily 09:31"])',
        '  n1["quote: getQuote<br/>SBIN"]',
        '  n2{"low: if #34;Cheap?#34;<br/>#123;#123;q.ltp#125;#125; #60; 800 and #123;#123;time#125;#125; #62;= 09:30 and #123;#123;q.low#125;#125; #62; 700 and #123;#123;q.high#125;#125; #60; 900"}',
        '  n3[["buy: placeOrder<br/>BUY 10 SBIN"]]',
        '  n4["note: log<br/>At #60;#34;#123;#123;q.ltp#125;#125;#34;#62;"]',
        '  n0 --> n1',
        '  n1 --> n2',
        '  n1 --> n4',
        '  n2 -->|yes| n3',
        '  n2 -->|no| n4',
        '  n3 --> n4',
        '',
      ].join('\n'),
    )
  })

  it('draws every step of any graph once, also in a cycle, and ends', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const plain = graph.nodes.map((node, index) => ({ ...node, id: `s${index}`, data: {} }))
        const named = new Map(graph.nodes.map((node, index) => [node.id, `s${index}`]))
        const edges = graph.edges.map((edge) => ({
          ...edge,
          source: named.get(edge.source) ?? '',
          target: named.get(edge.target) ?? '',
        }))
        const lines = treeOf(drawingOf({ nodes: plain, edges }), 80).split('\n')
        for (const { id, type } of plain) {
          expect(lines.filter((line) => line.endsWith(`${id}: ${type}`))).toHaveLength(1)
        }
        expect(lines.every((line) => line.length <= 80)).toBe(true)
      }),
    )
  })
})
