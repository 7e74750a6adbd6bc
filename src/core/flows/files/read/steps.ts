import type { Path } from '../../../documents/index.js'
import { type FlowGraph, type FlowNode, LIMITS } from '../../graph/graph.js'
import { nodeOf } from '../../nodes/index.js'
import { type ConditionNode, compileCondition, entriesOf } from '../condition/compile.js'
import { parseCondition } from '../condition/parse.js'
import { ConditionError } from '../condition/tokens.js'
import { layout, type Position } from '../layout.js'
import { withText } from './json-text.js'
import { edgesOf, type Link } from './links.js'
import { linksOfNode, type ReadableNode } from './readable.js'

/** A node of the graph, and its place in the file. */
export interface Step {
  id: string
  type: string
  data: Record<string, unknown>
  position: Position | undefined
  links: readonly { link: Link; path: Path }[]
  /** The id of the step in the file. */
  writtenIn: string
  /** Places in the text of the `if` that the node comes from. */
  inCondition: ConditionNode['at'] | undefined
}

/** A mistake in the steps of a file. `at` is an index in the text at `path`. */
export interface StepMistake {
  code: 'invalid_condition' | 'duplicate_id' | 'dangling_edge' | 'too_large'
  path: Path
  at?: number
  message: string
}

/** The condition in the place of one with a mistake. It never trades: a file with a mistake is refused. */
const STAND_IN = '1 == 1'

/** Returns the nodes of the graph for the steps of a file, in their order: one per step, several for an `if`. */
export function stepsOf(nodes: ReadonlyMap<string, ReadableNode>): {
  steps: Step[]
  mistakes: StepMistake[]
} {
  const mistakes: StepMistake[] = []
  const compiled = new Map<string, ConditionNode[]>()
  for (const [id, node] of nodes) {
    if (node.if === undefined) continue
    try {
      compiled.set(id, compileCondition(id, parseCondition(node.if)))
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error
      const { at, message } = error
      mistakes.push({ code: 'invalid_condition', path: ['nodes', id, 'if'], at, message })
      compiled.set(id, compileCondition(id, parseCondition(STAND_IN)))
    }
  }
  const count = [...nodes.keys()].reduce((sum, id) => sum + (compiled.get(id)?.length ?? 1), 0)
  // Links and layout take long for many nodes, and no daemon accepts them.
  if (count > LIMITS.nodes) return { steps: [], mistakes: [...mistakes, tooMany(count)] }
  const parts = new Map([...compiled].flatMap(([id, own]) => own.slice(0, -1).map((part) => [part.id, id])))
  for (const [part, id] of parts) {
    if (!nodes.has(part)) continue
    const message = `"${part}" is the id of a part of the "if" in "${id}": use another id.`
    mistakes.push({ code: 'duplicate_id', path: ['nodes', part], message })
  }
  const steps = [...nodes].flatMap(([id, node]) => {
    const links = linksOfNode(node).flatMap(({ link, at }) => {
      const path: Path = ['nodes', id, ...at]
      const whole = nodes.has(link.to) ? undefined : parts.get(link.to)
      if (whole !== undefined) {
        const message = `"${link.to}" is a part of the "if" in "${whole}": lead to "${whole}" instead.`
        mistakes.push({ code: 'dangling_edge', path, message })
      }
      const targets = entriesOf(compiled.get(link.to) ?? [])
      return (targets.length === 0 ? [link.to] : targets).map((to) => ({ link: { ...link, to }, path }))
    })
    const own = compiled.get(id)
    return own === undefined ? [plainStep(id, node, links)] : conditionSteps(id, node, own, links)
  })
  return { steps, mistakes }
}

function tooMany(count: number): StepMistake {
  const message = `A workflow may have at most ${LIMITS.nodes} nodes, this has ${count}.`
  return { code: 'too_large', path: ['nodes'], message }
}

function plainStep(id: string, node: ReadableNode, links: Step['links']): Step {
  const { type = '', label, position } = node
  const fields = withText(node.with ?? {}, nodeOf(type))
  const data = { ...(label === undefined ? {} : { label }), ...fields }
  return { id, type, data, position, links, writtenIn: id, inCondition: undefined }
}

/** Returns the nodes of an `if`. The last one has the id, the label and the links of the step. */
function conditionSteps(
  step: string,
  { label, position }: ReadableNode,
  parts: readonly ConditionNode[],
  links: Step['links'],
): Step[] {
  return parts.map(({ id, type, data, gate, at }): Step => {
    const common = { id, type, writtenIn: step, inCondition: at }
    if (gate === undefined) {
      return { ...common, data: { ...(label === undefined ? {} : { label }), ...data }, position, links }
    }
    return {
      ...common,
      data,
      position: undefined,
      links: [{ link: { to: gate }, path: ['nodes', step, 'if'] }],
    }
  })
}

/** Returns the graph of the steps. Computes missing positions. */
export function graphOfSteps(steps: readonly Step[]): FlowGraph {
  const nodes = steps.map(
    ({ id, type, data, position }): FlowNode => ({ id, type, position: position ?? { x: 0, y: 0 }, data }),
  )
  const links = new Map(steps.map((step) => [step.id, step.links.map(({ link }) => link)]))
  const edges = edgesOf(nodes, links)
  const places = layout(
    nodes.map((node) => node.id),
    edges,
  )
  steps.forEach((step, index) => {
    const node = nodes[index]
    const place = places.get(step.id)
    if (node !== undefined && place !== undefined && step.position === undefined) node.position = place
  })
  return { nodes, edges }
}
