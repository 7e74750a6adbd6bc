import type { FlowNode } from '../../graph/graph.js'
import type { Link } from '../read/links.js'
import { compileCondition, entriesOf } from './compile.js'
import { type Comparison, type Condition, parseCondition } from './parse.js'
import { conditionText } from './text.js'
import { ConditionError } from './tokens.js'

/** The nodes of a graph by id, in their order, with their outgoing links. */
export type LinkedNodes = ReadonlyMap<string, { node: FlowNode; links: readonly Link[] }>

/** A step that is written as an `if`, and the nodes that it stands for. */
export interface Folded {
  condition: string
  /** The other nodes of the step, which are not written. */
  hidden: ReadonlySet<string>
  /** The nodes that the links into the step lead to, in order. */
  entries: readonly string[]
}

/**
 * Returns the steps that can be written as an `if`, by id. A step is recognised by the ids and the data that
 * {@link compileCondition} gives to its nodes and by the links inside it; nothing in the graph marks it. So a node that
 * somebody edits in another program is written in full.
 */
export function foldable(nodes: LinkedNodes): Map<string, Folded> {
  const found = [...nodes.keys()].flatMap((id): [string, Folded][] => {
    const folded = foldedAt(id, nodes)
    return folded === undefined ? [] : [[id, folded]]
  })
  const hidden = new Set(found.flatMap(([, one]) => [...one.hidden]))
  return new Map(found.filter(([id]) => !hidden.has(id)))
}

function foldedAt(id: string, nodes: LinkedNodes): Folded | undefined {
  const condition = conditionAt(id, nodes, 0)
  if (condition === undefined) return undefined
  const text = conditionText(condition)
  const compiled = compileCondition(id, condition)
  const own = compiled.slice(0, -1)
  const isWired = own.every(({ id: term, gate }) => leadsOnlyTo(nodes.get(term)?.links ?? [], gate))
  return isWired
    ? { condition: text, hidden: new Set(own.map((one) => one.id)), entries: entriesOf(compiled) }
    : undefined
}

function leadsOnlyTo(links: readonly Link[], gate: string | undefined): boolean {
  const [link, ...others] = links
  return others.length === 0 && link?.to === gate && link?.on === undefined && link?.input === undefined
}

const MAX_DEPTH = 50

/** Reads the condition whose outermost node has this id; undefined if the nodes do not have the form of one. */
function conditionAt(id: string, nodes: LinkedNodes, depth: number): Condition | undefined {
  const node = nodes.get(id)?.node
  if (node === undefined || depth > MAX_DEPTH) return undefined
  // Only the step itself may have a label.
  const { label, ...data } = node.data
  if (label !== undefined && (depth > 0 || typeof label !== 'string')) return undefined
  if (node.type === 'varCondition') return parsed([data.leftValue, data.operator, data.rightValue], data, 3)
  if (node.type === 'timeCondition') return parsed(['{{time}}', data.operator, data.targetTime], data, 2)
  const names = Object.keys(data).join()
  if (node.type === 'notGate') {
    const term = names === '' ? conditionAt(`${id}.1`, nodes, depth + 1) : undefined
    return term === undefined ? undefined : { kind: 'not', term }
  }
  const { inputCount } = data
  const isJunction = node.type === 'andGate' || node.type === 'orGate'
  if (!isJunction || names !== 'inputCount' || typeof inputCount !== 'number') return undefined
  const kind = node.type === 'andGate' ? 'and' : 'or'
  const terms = termsOf(id, inputCount, nodes, depth)
  // A term of the same kind would be read as a part of this gate.
  return terms === undefined || terms.some((term) => term.kind === kind) ? undefined : { kind, terms }
}

function termsOf(id: string, count: number, nodes: LinkedNodes, depth: number): Condition[] | undefined {
  if (!Number.isInteger(count) || count < 2 || count > nodes.size) return undefined
  const terms: Condition[] = []
  for (let index = 1; index <= count; index++) {
    const term = conditionAt(`${id}.${index}`, nodes, depth + 1)
    if (term === undefined) return undefined
    terms.push(term)
  }
  return terms
}

/** Parses the sides of a comparison; undefined unless they are all of its data and read back unchanged. */
function parsed(
  sides: readonly unknown[],
  data: Readonly<Record<string, unknown>>,
  members: number,
): Condition | undefined {
  const texts = sides.filter((side) => typeof side === 'string')
  if (texts.length !== sides.length || Object.keys(data).length !== members) return undefined
  const text = texts.join(' ')
  try {
    const condition = parseCondition(text)
    return 'operator' in condition && sameSides(condition, texts) ? condition : undefined
  } catch (error) {
    if (error instanceof ConditionError) return undefined
    throw error
  }
}

function sameSides(condition: Comparison, [left, operator, right]: readonly string[]): boolean {
  return condition.left.text === left && condition.operator === operator && condition.right.text === right
}
