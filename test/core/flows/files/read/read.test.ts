import { describe, expect, it } from 'vitest'
import { findingText } from '../../../../../src/core/documents/index.js'
import { readWorkflow, type WorkflowFile } from '../../../../../src/core/flows/files/read/read.js'

function read(text: string, file = 'flows/opening.yaml'): WorkflowFile {
  const result = readWorkflow(text, file)
  if (!result.ok) throw new Error(result.findings.map(findingText).join('\n'))
  return result.value
}

function refused(text: string, file = 'f.yaml'): string[] {
  const result = readWorkflow(text, file)
  return result.ok ? [] : result.findings.map(findingText)
}

const RANGE = `name: Range
description: A narrow one
nodes:
  open:
    type: start
    with: {scheduleType: daily, time: 09:31, days: [0, 1]}
    next: range
  range:
    type: varCondition
    label: Narrow?
    with:
      leftValue: "{{w}}"
      operator: <
    yes: both
    no: [quit]
    next:
      - {to: quit, on: no}
      - to: both
        input: 1
  both:
    type: andGate
    position: {x: 5, y: 6}
  quit:
    type: log
`

describe('the readable form', () => {
  it('is read into a graph in the order of the file', () => {
    const { name, description, key, form, graph } = read(RANGE)
    expect({ name, description, key, form }).toEqual({
      name: 'Range',
      description: 'A narrow one',
      key: 'opening',
      form: 'readable',
    })
    expect(graph.nodes.map((node) => node.id)).toEqual(['open', 'range', 'both', 'quit'])
    expect(graph.nodes[0]?.data).toEqual({ scheduleType: 'daily', time: '09:31', days: [0, 1] })
    expect(graph.nodes[1]?.data).toEqual({ label: 'Narrow?', leftValue: '{{w}}', operator: '<' })
    expect(graph.edges).toEqual([
      { id: 'open-next-range', source: 'open', target: 'range' },
      {
        id: 'range-yes-both',
        source: 'range',
        target: 'both',
        sourceHandle: 'yes',
        targetHandle: 'input-0',
      },
      { id: 'range-no-quit', source: 'range', target: 'quit', sourceHandle: 'no' },
      { id: 'range-no-quit-2', source: 'range', target: 'quit', sourceHandle: 'no' },
      { id: 'range-next-both', source: 'range', target: 'both', targetHandle: 'input-1' },
    ])
  })

  it('computes missing positions by depth', () => {
    expect(read(RANGE).graph.nodes.map((node) => node.position)).toEqual([
      { x: 0, y: 0 },
      { x: 0, y: 120 },
      { x: 5, y: 6 },
      { x: 110, y: 240 },
    ])
  })

  it('keeps the order of nodes whose ids look like numbers', () => {
    const { graph } = read('name: n\nnodes:\n  2: {type: start, next: 1}\n  1: {type: log}\n')
    expect(graph.nodes.map((node) => node.id)).toEqual(['2', '1'])
    expect(graph.edges[0]?.target).toBe('1')
  })

  const places: [string, string][] = [
    ['/nodes/0/data/time', '6:39'],
    ['/nodes/0/data/days/1', '6:56'],
    ['/nodes/0/data/symbol', '6:5'],
    ['/nodes/0', '4:3'],
    ['/nodes/1/data/label', '10:12'],
    ['/nodes/1/data/operator', '13:17'],
    ['/nodes/1/data/rightValue', '11:5'],
    ['/nodes/1/type', '9:11'],
    ['/nodes/2/position/y', '22:25'],
    ['/nodes/3/data/message', '23:3'],
    ['/edges/0/target', '7:11'],
    ['/edges/2/target', '15:10'],
    ['/edges/3/sourceHandle', '17:9'],
    ['/edges/4', '18:9'],
    ['/nodes', '3:1'],
    ['/name', '1:7'],
    ['', '1:1'],
  ]
  it.each(places)('locates %s at %s', (pointer, place) => {
    const { line, column } = read(RANGE).locate(pointer)
    expect(`${line}:${column}`).toBe(place)
  })

  it('locates an alias where it is used', () => {
    const text =
      'name: n\nnodes:\n  a: {type: start, with: &w {time: "09:15"}, next: b}\n  b: {type: log, with: *w}\n'
    const flow = read(text)
    expect(flow.graph.nodes[1]?.data).toEqual({ time: '09:15' })
    expect(flow.locate('/nodes/1/data/time')).toEqual({ line: 3, column: 36 })
  })
})

describe('the graph form', () => {
  const graph = {
    name: 'Exported',
    description: null,
    version: '1.0',
    exported_at: '2026-08-04T05:30:00.000000',
    viewport: { zoom: 1 },
    nodes: [{ id: 'a', type: 'start', position: { x: 1, y: 2 }, data: {}, measured: { width: 3 } }],
    edges: [],
  }

  it('is read unchanged, with data of editors', () => {
    const flow = read(JSON.stringify(graph), 'RSI_dip buyer.json')
    expect(flow.graph).toEqual({ nodes: graph.nodes, edges: [] })
    expect([flow.form, flow.key]).toEqual(['graph', 'rsi-dip-buyer'])
  })

  it('may be YAML without positions', () => {
    const flow = read('name: n\nnodes: [{id: a, type: start, data: {}}]\nedges: []\n')
    expect(flow.graph.nodes[0]?.position).toEqual({ x: 0, y: 0 })
    expect(flow.locate('/nodes/0/type')).toEqual({ line: 2, column: 23 })
  })

  it('has its own identity if it has an id', () => {
    expect(read('id: mine\nname: n\nnodes: []\nedges: []\n').key).toBe('mine')
  })

  it('is refused at an invalid node', () => {
    const text =
      '{\n  "name": "n",\n  "nodes": [{"id": "a", "type": "start"}, 5],\n  "edges": [{"id": 1}]\n}\n'
    expect(refused(text, 'a.json')).toEqual([
      'a.json:3:13: error[invalid_value]: nodes.0.data: is missing',
      'a.json:3:43: error[invalid_value]: nodes.1: must be a group of fields',
      'a.json:4:20: error[invalid_value]: edges.0.id: must be a text',
      'a.json:4:13: error[invalid_value]: edges.0.source: is missing',
      'a.json:4:13: error[invalid_value]: edges.0.target: is missing',
    ])
  })
})

describe('refused files and positions', () => {
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
    .split('')
    .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]\n`)
    .join('')}`
  const table: [string, string, string][] = [
    ['an empty file', '', 'f.yaml:1:1: error[invalid_value]: the document: must be a group of fields'],
    ['a list', '- a\n', 'f.yaml:1:1: error[invalid_value]: the document: must be a group of fields'],
    ['broken YAML', 'name: a\n  b: c: d\n', 'f.yaml:1:7: error[syntax]: '],
    [
      'two documents',
      'name: a\n---\nname: b\n',
      'f.yaml:2:1: error[syntax]: A file must contain one document',
    ],
    [
      'a key twice',
      'name: a\nnodes:\n  a: {type: log}\n  a: {type: log}\n',
      'f.yaml:4:3: error[duplicate_key]: The key "a" is given twice.',
    ],
    ['an unknown tag', 'name: !!js a\n', 'f.yaml:1:7: error[syntax]: Unresolved tag'],
    [
      'an alias of nothing',
      'name: *a\n',
      'f.yaml:1:7: error[syntax]: There is no anchor with this name above.',
    ],
    ['an alias of itself', 'name: n\nnodes: &a {x: *a}\n', 'error[syntax]: This is nested too deeply.'],
    ['aliases that explode', bomb, 'error[too_many_aliases]: Aliases make this document too large.'],
    ['deep nesting', `a: ${'['.repeat(5000)}`, 'error[syntax]: '],
    [
      'nesting beyond the stack',
      `${'['.repeat(1e5)}${']'.repeat(1e5)}`,
      'error[syntax]: This is nested too deeply.',
    ],
    [
      'a number with digits lost',
      'name: n\nnodes: {a: {type: log, with: {message: 25112100000000000001}}}\n',
      'f.yaml:2:40: error[ambiguous_number]: The number 25112100000000000001 would lose digits. Write it as text: "25112100000000000001".',
    ],
    [
      'a number with a leading zero',
      'name: n\nnodes: {a: {type: log, with: {message: 0915}}}\n',
      'f.yaml:2:40: error[ambiguous_number]: The number 0915 would lose digits. Write it as text: "0915".',
    ],
    ['no number', 'name: .nan\n', 'f.yaml:1:7: error[ambiguous_number]: .nan is not a valid number.'],
    ['a key that is a list', '? [a]\n: b\n', 'f.yaml:1:3: error[syntax]: A key must be plain text'],
    [
      'a prototype',
      '__proto__: b\n',
      'f.yaml:1:1: error[syntax]: A key must be plain text, and not __proto__.',
    ],
    [
      'an unknown key',
      'name: n\nnods: {}\n',
      'f.yaml:2:1: error[unknown_key]: There is no "nods". Did you mean "nodes"?',
    ],
    [
      'an unknown key of a node',
      'name: n\nnodes:\n  a: {tpye: log}\n',
      'f.yaml:3:7: error[unknown_key]: There is no "tpye". Did you mean "type"?',
    ],
    [
      'nothing near it',
      'name: n\nnodes:\n  a: {type: log, wires: []}\n',
      'There is no "wires". Known names: type, if, label, with, yes, no, always, next, position.',
    ],
    [
      'an unknown side',
      'name: n\nnodes:\n  a:\n    type: log\n    next: [{to: b, on: maybe}]\n',
      'f.yaml:5:5: error[invalid_value]: nodes.a.next: A node id, or a list of node ids and {to: id, on: yes|no|always}.',
    ],
    [
      'a side where the key tells it',
      'name: n\nnodes:\n  a: {type: log, yes: [{to: b, on: no}]}\n',
      'f.yaml:3:32: error[unknown_key]: There is no "on". Known names: to, input.',
    ],
    [
      'a label twice',
      'name: n\nnodes:\n  a: {type: log, label: x, with: {label: y}}\n',
      'f.yaml:3:35: error[duplicate_key]: The label is given twice.',
    ],
    ['no name', 'name: " "\nnodes: {}\n', 'f.yaml:1:7: error[invalid_value]: name: A name.'],
    [
      'an id with a space',
      'id: a b\nname: n\nnodes: {}\n',
      'f.yaml:1:5: error[invalid_id]: "a b" cannot be an id',
    ],
  ]
  it.each(table)('%s', (_what, text, message) => {
    expect(refused(text).join('\n')).toContain(message)
  })

  it('YAML in a file that says it is JSON', () => {
    expect(refused('name: a\n', 'a.json')[0]).toBe(
      'a.json:1:1: error[syntax]: This is YAML, not JSON: name the file .yaml.',
    )
  })

  it('broken JSON, where it breaks', () => {
    expect(refused('{\n  "name": "a",,\n}\n', 'a.json')[0]).toMatch(/^a\.json:2:\d+: error\[syntax\]/)
  })

  it('a file of more than 2 MiB, before it is read', () => {
    expect(refused(`name: ${'x'.repeat(2 ** 21)}`)).toEqual([
      'f.yaml:1:1: error[file_too_large]: The file is larger than 2 MiB.',
    ])
  })

  it('a file name that gives no id', () => {
    expect(refused('name: n\nnodes: {}\n', '---.yaml')[0]).toContain('error[invalid_id]')
  })

  it('a map with very many keys, quickly', () => {
    const text = `name: n\nnodes: {}\n${Array.from({ length: 60_000 }, (_, i) => `k${i}: 1\n`).join('')}`
    expect(refused(text)[0]).toContain('unknown_key')
  })

  it('more nodes than a workflow may have, quickly, also in one "if"', () => {
    const condition = Array.from({ length: 30_000 }, (_, i) => `{{a}} > ${i}`).join(' and ')
    const start = 'start: {type: start, next: c}'
    const log = 'type: log, with: {message: m}'
    const steps = Array.from({ length: 600 }, (_, i) => `  n${i}: {${log}}\n`).join('')
    expect(refused(`name: n\nnodes:\n  ${start}\n  c: {if: "${condition}"}\n`)).toEqual([
      'f.yaml:2:1: error[too_large]: A workflow may have at most 500 nodes, this has 30002.',
    ])
    expect(refused(`name: n\nnodes:\n  ${start}\n${steps}`)[0]).toContain('this has 601.')
  })
})

describe('earlier ids', () => {
  it('reads one or several, in both forms', () => {
    expect(read(`moved: old\n${RANGE}`).moved).toEqual(['old'])
    expect(read(`moved: [old, older]\n${RANGE}`).moved).toEqual(['old', 'older'])
    expect(read(RANGE).moved).toEqual([])
    const { nodes, edges } = read(RANGE).graph
    const graph = JSON.stringify({ id: 'new', moved: ['old'], name: 'Range', nodes, edges })
    expect(read(graph, 'f.json').moved).toEqual(['old'])
  })

  it('refuses what cannot be an id, at its place', () => {
    expect(refused(`id: new\nmoved: Old Range\n${RANGE}`)).toEqual([
      'f.yaml:2:8: error[invalid_id]: "Old Range" cannot be an id: lower-case letters, digits and hyphens, at most 100.',
    ])
    expect(refused(`moved: {from: old}\n${RANGE}`)).toEqual([
      'f.yaml:1:1: error[invalid_value]: moved: An id, or a list of ids.',
    ])
  })
})
