import { didYouMean, type Severity } from '../../../documents/index.js'
import type { FlowGraph, Problem } from '../../graph/graph.js'
import { BUILTINS } from '../../language/builtins.js'
import { enclosedIn } from '../../language/enclosed.js'
import { segmentsOf } from '../../language/interpolation.js'
import type { NodeDefinition } from '../../nodes/definition.js'
import type { Field } from '../../nodes/field.js'
import type { Output } from '../../nodes/output.js'
import { Precedence } from '../read/precedence.js'
import type { NodeTable } from '../read/readable.js'
import { type FieldText, fieldTexts } from '../schema/field-texts.js'
import type { FileCode } from './finding.js'
import { compound, follow } from './output-paths.js'
import { type Producer, producersOf } from './producers.js'

/** A finding without its position in the file. `path` is a JSON pointer into the graph. */
export interface GraphFinding {
  severity: Severity
  code: FileCode
  path: string
  message: string
}

interface Complaint {
  code: FileCode
  /** Returns the reason as a sentence. Nobody reads most of them, and a suggestion of a name is dear. */
  reason(): string
}

/** A reference that something is wrong with. */
interface WrongReference {
  one: FieldText
  token: string
  complaint: Complaint
}

/**
 * Finds references that nothing can fill in, and references to members that do not exist. An unresolvable
 * reference is an error in a field that defines an order, because the run would refuse to send it, and in a condition
 * or an expression, because it would never have a result.
 */
export function referenceFindings(graph: FlowGraph, table: NodeTable): GraphFinding[] {
  const literals = new Set<FieldText>()
  return [...wrongReferences(graph, table)].flatMap((wrong) => {
    const { one } = wrong
    if (!one.isLiteral) return [finding(wrong, decides(table[one.node.type]))]
    if (literals.has(one)) return []
    literals.add(one)
    return [neverFilledIn(one)]
  })
}

/** Yields the wrong references of a graph, of a text that is used as written all of them. */
function* wrongReferences(graph: FlowGraph, table: NodeTable): Generator<WrongReference> {
  const scope = new Names(graph, table)
  for (const one of fieldTexts(graph, table)) {
    for (const { token, inner } of enclosedIn(one.text, '{{', '}}')) {
      const complaint = one.isLiteral ? LITERAL : scope.complaint(inner.trim(), one)
      if (complaint !== undefined) yield { one, token, complaint }
    }
  }
}

const LITERAL: Complaint = { code: 'never_filled_in', reason: () => '' }

/** Returns whether the result of a node depends on every value in it. */
function decides(definition: NodeDefinition | undefined): boolean {
  return definition?.effect === 'condition' || definition?.type === 'mathExpression'
}

function finding(
  { one, token, complaint: { code, reason } }: WrongReference,
  isDecisive = false,
): GraphFinding {
  const isSerious = code !== 'unresolved_variable' || one.field.guarded === true || isDecisive
  const message = `Node '${one.node.id}': ${token} in ${one.name}: ${reason()}`
  return { severity: isSerious ? 'error' : 'warning', code, path: one.path, message }
}

function neverFilledIn({ node, name, path }: FieldText): GraphFinding {
  const message = `Node '${node.id}': references in ${name} are not resolved; the text is used unchanged.`
  return { severity: 'warning', code: 'never_filled_in', path, message }
}

/** The names that references in a graph can use. */
class Names {
  readonly #graph: FlowGraph
  readonly #producers: ReadonlyMap<string, readonly Producer[]>
  readonly #precedence: Precedence
  readonly #hasPayload: boolean

  constructor(graph: FlowGraph, table: NodeTable) {
    this.#graph = graph
    this.#producers = producersOf(graph, table)
    this.#precedence = new Precedence(graph, table)
    const triggers = graph.nodes.filter(({ type }) => table[type]?.family === 'trigger')
    this.#hasPayload = triggers.length === 0 || triggers.some(({ type }) => type !== 'start')
  }

  /** Returns why a reference in a node cannot be resolved; undefined if it can. */
  complaint(reference: string, { field, index }: FieldText): Complaint | undefined {
    if (Object.hasOwn(BUILTINS, reference)) return undefined
    const [name, ...path] = segmentsOf(reference) ?? []
    if (typeof name !== 'string') return unresolved('this is not a variable name.')
    if (name === 'webhook') {
      return this.#hasPayload ? undefined : unresolved('runs of a schedule have no payload.')
    }
    const all = this.#producers.get(name) ?? []
    const before = all.filter((one) => this.#precedence.mayPrecede(one.index, index))
    if (before.length === 0) {
      return { code: 'unresolved_variable', reason: () => this.#absence(name, all) }
    }
    const complaints = before.map(({ output }) => outputComplaint(reference, { name, path, output }, field))
    // Any of several producers may be the one that has run.
    return complaints.includes(undefined) ? undefined : complaints[0]
  }

  #absence(name: string, all: readonly Producer[]): string {
    const other = this.#graph.nodes[all[0]?.index ?? -1]
    if (other !== undefined) return `"${name}" is stored by '${other.id}', which never runs before this node.`
    const known = [...this.#producers.keys(), ...Object.keys(BUILTINS), 'webhook']
    return `no node stores "${name}".${didYouMean(name, known)}`
  }
}

/** Returns why a reference into the result of a node is wrong; undefined if it is right. */
function outputComplaint(
  reference: string,
  { name, path, output }: { name: string; path: readonly (string | number)[]; output: Output },
  field: Field,
): Complaint | undefined {
  const found = follow(name, output, path)
  if (!found.ok) return { code: 'unknown_output', reason: () => found.reason }
  const reason = takesJson(field) ? undefined : compound(reference, found.output)
  return reason === undefined ? undefined : { code: 'wrong_type', reason: () => reason }
}

/** Returns whether a field can use a list or an object: as it is, or as JSON inside a text for people. */
function takesJson({ kind, embedsJson }: Field): boolean {
  return kind === 'json' || embedsJson === true
}

/** Returns the references into results of nodes that are wrong whatever happens in a run. */
export function outputProblems(graph: FlowGraph, table: NodeTable): Problem[] {
  const problems: Problem[] = []
  // A long text has many references that are wrong in another way: they are not kept.
  for (const wrong of wrongReferences(graph, table)) {
    const { code } = wrong.complaint
    if (code !== 'unknown_output' && code !== 'wrong_type') continue
    const { path, message } = finding(wrong)
    problems.push({ path, code, message })
  }
  return problems
}

function unresolved(reason: string): Complaint {
  return { code: 'unresolved_variable', reason: () => reason }
}
