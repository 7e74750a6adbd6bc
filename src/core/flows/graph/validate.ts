import { EXCHANGES } from '../../instruments/schema.js'
import { ACTIONS, hasPrice, PRICE_TYPES, PRODUCTS, priceTypeNamed } from '../../orders/schema.js'
import { isObject } from '../../validation/index.js'
import { interpolatedText } from '../language/interpolation.js'
import { isNestedDeeper } from '../language/json.js'
import { parseNumber } from '../language/numbers.js'
import { lengthOf } from '../language/size.js'
import type { NodeDefinition } from '../nodes/definition.js'
import { nodeOf } from '../nodes/index.js'
import { branchOf, type FlowNode, hasReference, isBlank, LIMITS, type Problem } from './graph.js'
import { structureProblems } from './structure.js'

/**
 * Returns the problems of a graph. Without `strict` it may be incomplete, so that a draft can be saved. With
 * `strict` it must be ready to run.
 */
export function validateGraph(graph: unknown, { strict }: { strict: boolean }): Problem[] {
  if (!isObject(graph)) return [{ path: '', code: 'invalid_type', message: 'A workflow must be an object' }]
  const { nodes, edges } = graph
  const problems = [...listProblems('nodes', nodes), ...listProblems('edges', edges)]
  problems.push(...depthProblems('nodes', nodes), ...depthProblems('edges', edges))
  if (!Array.isArray(nodes) || !Array.isArray(edges) || problems.length > 0) return problems

  const ids = new Map<string, FlowNode>()
  for (const [index, node] of nodes.entries()) {
    problems.push(...nodeProblems(node, `/nodes/${index}`, ids, strict))
  }
  const edgeIds = new Set<string>()
  for (const [index, edge] of edges.entries()) {
    problems.push(...edgeProblems(edge, `/edges/${index}`, ids, edgeIds))
  }
  if (strict && problems.every(({ code }) => code !== 'invalid_type' && code !== 'required')) {
    problems.push(...structureProblems({ nodes, edges }, problems.length === 0))
  }
  return problems
}

/** Checks the name of a workflow. */
export function nameProblems(name: unknown): Problem[] {
  if (isBlank(name) || typeof name !== 'string') {
    return [{ path: '/name', code: 'required', message: 'Workflow name is required' }]
  }
  if (name.trim().length <= LIMITS.nameLength) return []
  const message = `Workflow name is longer than ${LIMITS.nameLength} characters`
  return [{ path: '/name', code: 'too_large', message, expected: LIMITS.nameLength, received: name.length }]
}

function listProblems(name: 'nodes' | 'edges', list: unknown): Problem[] {
  if (!Array.isArray(list)) return [{ path: `/${name}`, code: 'required', message: `${name} must be a list` }]
  const limit = LIMITS[name]
  if (list.length <= limit) return []
  const message = `A workflow may have at most ${limit} ${name}, this has ${list.length}`
  return [{ path: `/${name}`, code: 'too_large', message, expected: limit, received: list.length }]
}

/** A node is read again at each visit, so its configuration is limited, not only the document. */
function lengthProblems(data: Readonly<Record<string, unknown>>, path: string, name: string): Problem[] {
  if (lengthOf(data, LIMITS.nodeLength) <= LIMITS.nodeLength) return []
  const message = `${name}: its configuration is longer than ${LIMITS.nodeLength} characters`
  return [{ path, code: 'too_large', message, expected: LIMITS.nodeLength }]
}

function depthProblems(name: 'nodes' | 'edges', list: unknown): Problem[] {
  if (!Array.isArray(list)) return []
  const message = `A node or an edge may be nested at most ${LIMITS.levels} levels deep`
  return list.flatMap((item, index) =>
    isNestedDeeper(item, LIMITS.levels)
      ? [{ path: `/${name}/${index}`, code: 'too_large' as const, message }]
      : [],
  )
}

function nodeProblems(node: unknown, path: string, ids: Map<string, FlowNode>, strict: boolean): Problem[] {
  if (!isObject(node)) return [{ path, code: 'invalid_type', message: 'A node must be an object' }]
  const problems: Problem[] = []
  const { id, type, position, data } = node
  if (typeof id !== 'string' || isBlank(id)) problems.push(required(`${path}/id`, 'A node needs an id'))
  else if (ids.has(id)) {
    problems.push({
      path: `${path}/id`,
      code: 'duplicate',
      message: `Node id '${id}' is used twice`,
      received: id,
    })
  }
  const name = typeof id === 'string' ? `Node '${id}'` : 'The node'
  const definition = typeof type === 'string' ? nodeOf(type) : undefined
  if (typeof type !== 'string' || isBlank(type))
    problems.push(required(`${path}/type`, `${name} needs a type`))
  else if (!definition) {
    const message = `${name} has an unknown type '${type}'`
    problems.push({ path: `${path}/type`, code: 'unknown_node_type', message, received: type })
  }
  problems.push(...positionProblems(position, `${path}/position`, name))
  if (!isObject(data)) problems.push(required(`${path}/data`, `${name} needs its configuration (data)`))
  else {
    const long = lengthProblems(data, `${path}/data`, name)
    const mayBeZero = definition?.fields.quantity?.default === 0
    problems.push(...(long.length > 0 ? long : constantProblems(data, `${path}/data`, name, mayBeZero)))
    if (definition && long.length === 0)
      problems.push(...fieldProblems(definition, data, `${path}/data`, name, strict))
  }
  if (typeof id === 'string' && typeof type === 'string' && isObject(data)) {
    if (!ids.has(id)) ids.set(id, { id, type, data, position: { x: 0, y: 0 } })
  }
  return problems
}

function positionProblems(position: unknown, path: string, name: string): Problem[] {
  if (!isObject(position)) return [required(path, `${name} needs a position`)]
  return ['x', 'y']
    .filter((axis) => typeof position[axis] !== 'number' || !Number.isFinite(position[axis]))
    .map((axis) => ({
      path: `${path}/${axis}`,
      code: 'invalid_type' as const,
      message: `${name} needs a number as position ${axis}`,
      expected: 'number',
      received: position[axis],
    }))
}

/** Values that mean the same on every node. */
const CONSTANTS: Readonly<Record<string, readonly string[]>> = {
  exchange: EXCHANGES,
  action: ACTIONS,
  product: PRODUCTS,
  priceType: PRICE_TYPES,
  pricetype: PRICE_TYPES,
}
const QUANTITIES = ['quantity', 'splitSize', 'lots']

function constantProblems(
  data: Readonly<Record<string, unknown>>,
  path: string,
  name: string,
  mayBeZero: boolean,
): Problem[] {
  const problems: Problem[] = []
  for (const [field, choices] of Object.entries(CONSTANTS)) {
    const received = data[field]
    if (isBlank(received) || hasReference(received)) continue
    if (typeof received === 'string' && choices.includes(received.trim().toUpperCase())) continue
    const message = `${name}: ${field} '${interpolatedText(received)}' is not one of ${choices.join(', ')}`
    problems.push({
      path: `${path}/${field}`,
      code: 'invalid_constant',
      message,
      expected: choices,
      received,
    })
  }
  for (const field of QUANTITIES) {
    const received = data[field]
    if (isBlank(received) || hasReference(received) || isPositive(received)) continue
    if (field === 'quantity' && mayBeZero && parseNumber(received) === 0) continue
    const message = `${name}: ${field} must be a positive number`
    problems.push({ path: `${path}/${field}`, code: 'invalid_quantity', message, received })
  }
  const type = interpolatedText(data.priceType ?? data.pricetype ?? '')
    .trim()
    .toUpperCase()
  const named = priceTypeNamed(type)
  for (const [field, price] of [
    ['price', 'price'],
    ['triggerPrice', 'trigger'],
  ] as const) {
    const received = data[field]
    if (
      named === undefined ||
      !hasPrice(named, price) ||
      isBlank(received) ||
      hasReference(received) ||
      isPositive(received)
    )
      continue
    const message = `${name}: ${field} must be positive for a ${type} order`
    problems.push({ path: `${path}/${field}`, code: 'invalid_price', message, received })
  }
  return problems
}

function isPositive(value: unknown): boolean {
  return typeof value !== 'boolean' && (parseNumber(value) ?? 0) > 0
}

/** Checks a node's configuration against its definition. */
function fieldProblems(
  definition: NodeDefinition,
  data: Readonly<Record<string, unknown>>,
  path: string,
  name: string,
  strict: boolean,
): Problem[] {
  const problems: Problem[] = []
  // Messages about triggers have fixed texts that API clients know.
  const prefix = definition.family === 'trigger' ? '' : `${name}: `
  for (const { field, message, ...problem } of definition.check?.(data, strict) ?? []) {
    problems.push({ ...problem, path: `${path}/${field}`, message: `${prefix}${message}` })
  }
  if (!strict) return problems
  const reported = new Set(problems.map((problem) => problem.path))
  for (const [field, { required: needed, aliases = [] }] of Object.entries(definition.fields)) {
    if (!needed || [field, ...aliases].some((one) => !isBlank(data[one]))) continue
    const message = `${name} (${definition.type}) needs ${field}`
    problems.push({ path: `${path}/${field}`, code: 'missing_required_field', message })
  }
  const literals = literalProblems(definition, data, path, name)
  return [...problems, ...literals.filter((problem) => !reported.has(problem.path))]
}

/** Checks choices and numbers that are written out, which need no run. */
function literalProblems(
  { fields }: NodeDefinition,
  data: Readonly<Record<string, unknown>>,
  path: string,
  name: string,
): Problem[] {
  const problems: Problem[] = []
  for (const [field, { kind, choices }] of Object.entries(fields)) {
    const received = data[field]
    if (isBlank(received) || hasReference(received) || field in CONSTANTS || QUANTITIES.includes(field))
      continue
    const complain = (rule: string, expected?: unknown) =>
      problems.push({
        path: `${path}/${field}`,
        code: 'invalid_field',
        message: `${name}: ${field} '${interpolatedText(received)}' ${rule}`,
        ...(expected !== undefined && { expected }),
        received,
      })
    const text = interpolatedText(received).trim().toLowerCase()
    if (choices && !choices.some((choice) => choice.toLowerCase() === text)) {
      complain(`is not one of ${choices.join(', ')}`, choices)
    }
    if (kind !== 'number' && kind !== 'integer') continue
    if (parseNumber(received) === undefined) complain('is not a number', 'number')
  }
  return problems
}

function edgeProblems(
  edge: unknown,
  path: string,
  nodes: ReadonlyMap<string, FlowNode>,
  seen: Set<string>,
): Problem[] {
  if (!isObject(edge)) return [{ path, code: 'invalid_type', message: 'An edge must be an object' }]
  const problems: Problem[] = []
  const { id, source, target, sourceHandle, targetHandle } = edge
  if (typeof id !== 'string' || isBlank(id)) problems.push(required(`${path}/id`, 'An edge needs an id'))
  else if (seen.has(id)) {
    problems.push({
      path: `${path}/id`,
      code: 'duplicate',
      message: `Edge id '${id}' is used twice`,
      received: id,
    })
  } else seen.add(id)
  const name = typeof id === 'string' ? `Edge '${id}'` : 'The edge'
  for (const [end, value] of Object.entries({ source, target })) {
    if (typeof value !== 'string' || isBlank(value))
      problems.push(required(`${path}/${end}`, `${name} needs a ${end}`))
    else if (!nodes.has(value)) {
      const message = `${name} names '${value}' as its ${end}, which is not a node`
      problems.push({ path: `${path}/${end}`, code: 'dangling_edge', message, received: value })
    }
  }
  const from = typeof source === 'string' ? nodes.get(source) : undefined
  const to = typeof target === 'string' ? nodes.get(target) : undefined
  problems.push(...sourceHandleProblems(sourceHandle, from, `${path}/sourceHandle`, name))
  problems.push(...targetHandleProblems(targetHandle, to, `${path}/targetHandle`, name))
  return problems
}

function sourceHandleProblems(
  handle: unknown,
  from: FlowNode | undefined,
  path: string,
  name: string,
): Problem[] {
  if (handle === undefined || handle === null || handle === '' || !from) return []
  const branching = nodeOf(from.type)?.branching ?? true
  if (typeof handle === 'string' && branching && branchOf(handle)) return []
  const expected = branching ? ['yes', 'no'] : []
  const rule = branching ? 'it must be yes or no' : `${from.type} has no branches`
  const message = `${name} has the source handle '${interpolatedText(handle)}': ${rule}`
  return [{ path, code: 'invalid_source_handle', message, expected, received: handle }]
}

const INPUT = /^input-(\d+)$/

function targetHandleProblems(
  handle: unknown,
  to: FlowNode | undefined,
  path: string,
  name: string,
): Problem[] {
  if (handle === undefined || handle === null || handle === '' || !to) return []
  const problem = (rule: string): Problem[] => [
    {
      path,
      code: 'invalid_target_handle',
      message: `${name} has the target handle '${interpolatedText(handle)}': ${rule}`,
      received: handle,
    },
  ]
  if (typeof handle !== 'string') return problem('a handle must be a text')
  const slot = INPUT.exec(handle)?.[1]
  const isGate = to.type === 'andGate' || to.type === 'orGate'
  if (!isGate) return slot === undefined ? [] : problem(`${to.type} has no numbered inputs`)
  const inputs = Math.max(1, Math.trunc(parseNumber(to.data.inputCount) ?? 2))
  if (slot !== undefined && Number(slot) < inputs) return []
  return problem(`the gate has the inputs input-0 to input-${inputs - 1}`)
}

function required(path: string, message: string): Problem {
  return { path, code: 'required', message }
}
