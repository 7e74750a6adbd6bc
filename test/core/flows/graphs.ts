import { type RunOutcome, type RunRequest, runGraph } from '../../../src/core/flows/engine/walk.js'
import type { FlowEdge, FlowGraph, FlowNode } from '../../../src/core/flows/graph/graph.js'
import type { Body } from '../../../src/core/flows/ports.js'
import { type PortsOptions, type RecordingPorts, recordingPorts } from './support.js'

export function node(id: string, type: string, data: Body = {}): FlowNode {
  return { id, type, position: { x: 0, y: 0 }, data }
}

/** `a -> b`, or `a yes> b`: the word is the source handle of the edge. */
export function edges(...texts: readonly string[]): FlowEdge[] {
  return texts.map((text, index) => {
    const [, source = '', handle = '', target = ''] = /^(\S+) (\w*)-?> (\S+)$/.exec(text) ?? []
    if (source === '') throw new Error(`unreadable edge: ${text}`)
    return { id: `e${index}`, source, target, ...(handle !== '' && { sourceHandle: handle }) }
  })
}

/** Returns a graph that begins with a `start` node `t`. Nodes are `[type, data]` by id. */
export function graphOf(
  nodes: Readonly<Record<string, readonly [type: string, data?: Body]>>,
  ...wires: readonly string[]
): FlowGraph {
  const rest = Object.entries(nodes).map(([id, [type, data]]) => node(id, type, data))
  const start = 't' in nodes ? [] : [node('t', 'start')]
  return { nodes: [...start, ...rest], edges: edges(...wires) }
}

export const note = (message = ''): readonly [string, Body] => ['log', { message }]
export const yes: readonly [string, Body] = [
  'varCondition',
  { leftValue: '1', operator: '>', rightValue: '0' },
]
export const no: readonly [string, Body] = [
  'varCondition',
  { leftValue: '0', operator: '>', rightValue: '1' },
]
/** A condition that is undecided. */
export const unknown: readonly [string, Body] = [
  'varCondition',
  { leftValue: '{{nowhere}}', operator: '>', rightValue: '1' },
]
/** A node that fails. */
export const broken: readonly [string, Body] = ['mathExpression', { expression: '1 / 0' }]
export const order: readonly [string, Body] = [
  'placeOrder',
  { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 },
]

export interface Ran extends RunOutcome {
  ports: RecordingPorts
  /** Returns the messages of the log. */
  lines: string[]
}

/** Runs a graph with recording ports. */
export async function run(
  graph: FlowGraph,
  { ports: given, ...request }: Partial<RunRequest> & { ports?: RecordingPorts } = {},
  options: PortsOptions = {},
): Promise<Ran> {
  const ports = given ?? recordingPorts(options)
  const outcome = await runGraph({
    runId: '7',
    workflowName: 'Test flow',
    userId: 'asha',
    graph,
    ...request,
    ports,
  })
  return { ...outcome, ports, lines: outcome.logs.map(({ message }) => message) }
}
