import type { FlowGraph } from '../../graph/graph.js'
import { interpolatedText } from '../../language/interpolation.js'
import { NODES, nodeOf } from '../../nodes/index.js'
import { linksOfNode, type ReadableNode } from '../read/readable.js'
import { toReadable } from '../read/to-readable.js'

/** A step of a workflow, as a picture shows it. */
export interface DrawnStep {
  id: string
  /** The node type; `if` for a condition. */
  type: string
  shape: 'trigger' | 'condition' | 'gate' | 'order' | 'other'
  label: string | undefined
  /** The condition, or the fields that say most. */
  summary: string
  links: { to: string; name: string | undefined }[]
}

/** Returns the steps of a graph in their order. */
export function drawingOf(graph: FlowGraph): DrawnStep[] {
  return [...toReadable(graph, NODES)].map(([id, node]) => ({
    id,
    type: node.type ?? 'if',
    shape: shapeOf(node),
    label: node.label,
    summary: node.if ?? summaryOf(node.with ?? {}),
    links: linksOfNode(node).map(({ link }) => ({ to: link.to, name: link.on })),
  }))
}

function shapeOf({ type }: ReadableNode): DrawnStep['shape'] {
  if (type === undefined) return 'condition'
  const effect = nodeOf(type)?.effect
  if (effect === 'trigger' || effect === 'condition' || effect === 'gate') return effect
  return effect === 'order' || effect === 'reduce' ? 'order' : 'other'
}

/** Fields that say what a node does, in the order of a sentence. */
const TELLING = [
  'scheduleType',
  'intervalValue',
  'intervalUnit',
  'time',
  'executeAt',
  'action',
  'quantity',
  'indicatorName',
  'symbol',
  'symbols',
  'underlying',
  'interval',
  'price',
  'condition',
  'threshold',
  'leftValue',
  'operator',
  'rightValue',
  'targetTime',
  'startTime',
  'endTime',
  'minAvailable',
  'delayValue',
  'delayUnit',
  'expression',
  'message',
  'method',
  'url',
]
const LONGEST_SUMMARY = 60

function summaryOf(fields: Readonly<Record<string, unknown>>): string {
  const summary = TELLING.map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined))
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(interpolatedText)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return summary.length <= LONGEST_SUMMARY ? summary : `${summary.slice(0, LONGEST_SUMMARY - 1)}…`
}
