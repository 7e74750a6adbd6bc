import { didYouMean, inOrder, likelyName, pointerOf } from '../../../documents/index.js'
import { isWritten } from '../../../orders/schema.js'
import { isAlways } from '../../graph/always.js'
import { branchOf, type FlowGraph, hasReference, isBlank, type Problem } from '../../graph/graph.js'
import { nameProblems, validateGraph } from '../../graph/validate.js'
import { BUILTINS } from '../../language/builtins.js'
import { parseNumber } from '../../language/numbers.js'
import { NODES } from '../../nodes/index.js'
import type { WorkflowFile } from '../read/read.js'
import type { NodeTable } from '../read/readable.js'
import { fieldOf, knownNames } from '../schema/field-texts.js'
import { blankFindings } from './blank-fields.js'
import type { Finding } from './finding.js'
import { orderFindings } from './order-fields.js'
import { priceTypeFindings } from './price-types.js'
import { producersOf } from './producers.js'
import { readinessProblems } from './readiness.js'
import { type GraphFinding, referenceFindings } from './references.js'
import { secretFindings } from './secret-findings.js'

/** A literal symbol in a workflow. */
export interface NamedSymbol {
  symbol: string
  exchange: string
  /** JSON pointer into the graph. */
  path: string
  /** True if the symbol defines an order. */
  isOrder: boolean
}

export interface LintOptions {
  /** Returns whether an instrument exists. Without this function, symbols are not checked. */
  isKnown?(symbol: string, exchange: string): boolean
}

/**
 * Checks a workflow without running it, and returns the findings in the order of the file: the errors that
 * activation would report, references that nothing can fill in, branches that lead nowhere, and credentials
 * in plain text.
 */
export function lint(workflow: WorkflowFile, options: LintOptions = {}): Finding[] {
  const { graph, file } = workflow
  const faults = validateGraph(graph, { strict: true })
  const orders = orderFindings(graph, NODES)
  const reported = new Set([...faults, ...orders].map(({ path }) => path))
  const unready = readinessProblems(graph).filter(({ path }) => !reported.has(path))
  const refused = new Set([...faults, ...unready].map(({ path }) => path))
  const found: GraphFinding[] = [
    ...[...nameProblems(workflow.name), ...faults, ...unready].map((problem) => ofProblem(problem, graph)),
    ...orders,
    ...priceTypeFindings(workflow, NODES),
    ...blankFindings(workflow).filter(({ path }) => !reported.has(path)),
    ...unknownFields(workflow, NODES),
    ...referenceFindings(graph, NODES).filter(({ code, path }) => !isRepeated(code, refused.has(path))),
    ...shadowedVariables(graph, NODES),
    ...needlessAlways(graph, NODES),
    ...unwiredConditions(graph, NODES),
    ...repeatedExits(graph),
    ...secretFindings(graph, NODES),
    ...unknownSymbols(graph, options),
  ]
  const place = ({ path, code }: GraphFinding) =>
    workflow.locate(path, code === 'unknown_field' ? 'key' : 'value')
  return inOrder(found.map((one) => ({ file, ...place(one), ...one })))
}

/** Returns whether the problems that prevent an activation already say what a finding says. */
function isRepeated(code: GraphFinding['code'], isRefused: boolean): boolean {
  return code === 'unknown_output' || code === 'wrong_type' || (code === 'never_filled_in' && isRefused)
}

/** Returns the literal symbols of a graph. */
export function symbolsIn(graph: FlowGraph, table: NodeTable = NODES): NamedSymbol[] {
  return graph.nodes.flatMap(({ type, data }, index) => {
    const field = table[type]?.fields.symbol
    const symbol = plainText(data.symbol)
    const exchange = plainText(data.exchange) ?? plainText(table[type]?.fields.exchange?.default)
    if (field === undefined || symbol === undefined || exchange === undefined) return []
    const path = pointerOf(['nodes', index, 'data', 'symbol'])
    return [{ symbol, exchange: exchange.toUpperCase(), path, isOrder: field.guarded === true }]
  })
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' && !isBlank(value) && !value.includes('{{') ? value.trim() : undefined
}

function unknownSymbols(graph: FlowGraph, { isKnown }: LintOptions): GraphFinding[] {
  if (isKnown === undefined) return []
  return symbolsIn(graph)
    .filter(({ symbol, exchange }) => !isKnown(symbol, exchange))
    .map(({ symbol, exchange, path, isOrder }) => ({
      severity: isOrder ? 'error' : 'warning',
      code: 'unknown_symbol',
      path,
      message: `There is no ${symbol} on ${exchange}.`,
    }))
}

/**
 * Converts a problem of the validator to a finding at the best position, with the nearest known name for a
 * typo.
 */
function ofProblem(problem: Problem, graph: FlowGraph): GraphFinding {
  const { code, received } = problem
  if (problem.message.endsWith('?')) {
    return { severity: 'error', code, path: problem.path, message: problem.message }
  }
  const message = problem.message.replace(/[.]$/, '')
  const known = KNOWN[code]?.(graph) ?? choicesOf(problem)
  return {
    severity: 'error',
    code,
    path: shownAt(problem, graph),
    message: `${message}.${typeof received === 'string' ? didYouMean(received, known) : ''}`,
  }
}

const KNOWN: Partial<Record<Problem['code'], (graph: FlowGraph) => string[]>> = {
  dangling_edge: (graph) => graph.nodes.map((node) => node.id),
  unknown_node_type: () => Object.keys(NODES),
}

/** Returns the values that a problem expects. */
function choicesOf({ expected }: Problem): string[] {
  return Array.isArray(expected) ? expected.filter((one) => typeof one === 'string') : []
}

/** Shows a cycle at one of its edges, and a second trigger at its node. */
function shownAt({ code, path, received }: Problem, graph: FlowGraph): string {
  if (!Array.isArray(received)) return path
  const [first, second] = received
  if (code === 'cycle') {
    const edge = graph.edges.findIndex(({ source, target }) => source === first && target === second)
    return edge < 0 ? path : `/edges/${edge}`
  }
  if (code !== 'multiple_triggers') return path
  return `/nodes/${graph.nodes.findIndex(({ id }) => id === second)}`
}

/** Finds fields that a node type does not have. Runs ignore them; a likely typo is an error. */
function unknownFields({ graph, form }: WorkflowFile, table: NodeTable): GraphFinding[] {
  return graph.nodes.flatMap(({ id, type, data }, index) => {
    const definition = table[type]
    if (definition === undefined) return []
    const known = knownNames(definition)
    return Object.keys(data)
      .filter((name) => !known.includes(name) && fieldOf(definition, name) === undefined)
      .map((name): GraphFinding => {
        const free = known.filter((one) => !Object.hasOwn(data, one))
        const isTypo = form === 'readable' && likelyName(name, free) !== undefined
        return {
          severity: isTypo ? 'error' : 'warning',
          code: 'unknown_field',
          path: pointerOf(['nodes', index, 'data', name]),
          message: `Node '${id}': ${type} has no field "${name}": it is ignored.${didYouMean(name, free)}`,
        }
      })
  })
}

/** Finds `always` edges of nodes without branches, whose edges are called `next`. */
function needlessAlways({ nodes, edges }: FlowGraph, table: NodeTable): GraphFinding[] {
  const types = new Map(nodes.map(({ id, type }) => [id, type]))
  return edges.flatMap((edge, index) => {
    const type = types.get(edge.source) ?? ''
    if (!isAlways(edge) || table[type]?.branching !== false) return []
    const message = `Node '${edge.source}': ${type} has no branches. Use next instead of always.`
    return [{ severity: 'error', code: 'invalid_source_handle', path: `/edges/${index}`, message }]
  })
}

/** Finds conditions whose result has no effect, because all their edges are followed in any case. */
function unwiredConditions(graph: FlowGraph, table: NodeTable): GraphFinding[] {
  const gates = new Set(
    graph.nodes.filter(({ type }) => table[type]?.effect === 'gate').map((node) => node.id),
  )
  return graph.nodes.flatMap(({ id, type }, index) => {
    const effect = table[type]?.effect
    if (effect !== 'condition' && effect !== 'gate') return []
    const isWired = graph.edges.some(
      (edge) => edge.source === id && (branchOf(edge.sourceHandle) !== undefined || gates.has(edge.target)),
    )
    if (isWired) return []
    const message = `Node '${id}': it has no yes or no edge, so its result has no effect.`
    return [{ severity: 'warning', code: 'unwired_condition', path: `/nodes/${index}`, message }]
  })
}

/**
 * Finds smart orders that open the reverse position when they are repeated: a quantity beside a target that is 0, or may
 * be 0.
 */
function repeatedExits({ nodes }: FlowGraph): GraphFinding[] {
  return nodes.flatMap(({ id, type, data: { positionSize, quantity } }, index) => {
    const mayBeFlat = isBlank(positionSize) || hasReference(positionSize) || parseNumber(positionSize) === 0
    if (type !== 'smartOrder' || !mayBeFlat || !isWritten(quantity)) return []
    const message = `Node '${id}': without a position, a target of 0 trades quantity: a repeated exit opens the reverse. Leave quantity out.`
    const path = pointerOf(['nodes', index, 'data', 'quantity'])
    return [{ severity: 'warning', code: 'repeated_exit', path, message }]
  })
}

/** Fields that name the variable a node stores. */
const NAMING = ['outputVariable', 'variableName', 'name']

/** Finds variables with the name of a built-in: a reference always reads the built-in. */
function shadowedVariables(graph: FlowGraph, table: NodeTable): GraphFinding[] {
  return [...producersOf(graph, table)]
    .filter(([name]) => Object.hasOwn(BUILTINS, name))
    .flatMap(([name, producers]) =>
      producers.map(({ index }): GraphFinding => {
        const { id = '', data = {} } = graph.nodes[index] ?? {}
        const field = NAMING.find((one) => Object.hasOwn(data, one))
        return {
          severity: 'warning',
          code: 'shadowed_variable',
          path: pointerOf(['nodes', index, ...(field === undefined ? [] : ['data', field])]),
          message: `Node '${id}': {{${name}}} is a built-in variable, which hides this result. Use another name.`,
        }
      }),
    )
}
