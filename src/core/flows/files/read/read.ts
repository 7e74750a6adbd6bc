import type { z } from 'zod'
import {
  didYouMean,
  type FilePosition,
  isKey,
  KEY_RULE,
  keyOf,
  movedFindings,
  movedOf,
  type Path,
  parseSource,
  partsOf,
  type Source,
} from '../../../documents/index.js'
import { inPlainWords, isObject, keysAt } from '../../../validation/index.js'
import type { FlowNode } from '../../graph/graph.js'
import type { Finding, ReadResult } from '../check/finding.js'
import { layout } from '../layout.js'
import { graphWorkflow, readableWorkflow } from '../schema/file-forms.js'
import type { Workflow } from '../workflow.js'
import { FILE_KEYS } from './file-keys.js'
import type { ReadableNode } from './readable.js'
import { graphOfSteps, type Step, stepsOf } from './steps.js'

/** A workflow that was read from a file. */
export interface WorkflowFile extends Workflow {
  file: string
  /** The identity for `apply`: the `id` of the file, or the file name. */
  key: string
  /** The ids that the file had before. */
  moved: readonly string[]
  form: 'readable' | 'graph'
  /** Returns the position in the file of a JSON pointer into the graph (`/nodes/0/data/price`). */
  locate(pointer: string, what?: 'value' | 'key'): FilePosition
}

/**
 * The result of reading a workflow. If only its conditions have mistakes, `draft` is the workflow with others in their
 * place, so that a check can report the rest of the file at the same time.
 */
type WorkflowResult = ReadResult<WorkflowFile> & { draft?: WorkflowFile }

/** Reads a workflow in either form, YAML or JSON. Checks only the form; `lint` checks whether it can run. */
export function readWorkflow(text: string, file: string): WorkflowResult {
  const parsed = parseSource(text, file, FILE_KEYS)
  if (!parsed.ok) return parsed
  const source = parsed.value
  const isGraph = isObject(source.value) && ('edges' in source.value || Array.isArray(source.value.nodes))
  const read = isGraph ? readGraph(source) : readReadable(source)
  if (!read.ok) return read
  const { key, moved } = read.value
  const message = `"${key}" cannot be an id: ${KEY_RULE}.`
  const own = isKey(key) ? [] : [source.finding(['id'], 'invalid_id', message)]
  const findings = [...own, ...movedFindings(source, moved)]
  return findings.length > 0 ? { ok: false, findings } : read
}

function readReadable(source: Source): WorkflowResult {
  const shape = checked(source, readableWorkflow)
  if (!shape.ok) return shape
  const { id, moved, name, description } = shape.value
  const nodes = new Map<string, ReadableNode>()
  const doubled = []
  for (const key of source.keys(['nodes'])) {
    const node = Object.hasOwn(shape.value.nodes, key) ? shape.value.nodes[key] : undefined
    if (node === undefined) continue
    nodes.set(key, node)
    if (node.label === undefined || node.with?.label === undefined) continue
    const path = ['nodes', key, 'with', 'label']
    doubled.push(source.finding(path, 'duplicate_key', 'The label is given twice.', 'key'))
  }
  const { steps, mistakes } = stepsOf(nodes)
  const wrong = mistakes.map(({ path, code, message, at }) =>
    source.finding(path, code, message, at ?? 'key'),
  )
  const isDrawn = doubled.length === 0 && mistakes.every(({ code }) => code === 'invalid_condition')
  if (!isDrawn) return { ok: false, findings: [...doubled, ...wrong] }
  const value: WorkflowFile = {
    file: source.file,
    key: id ?? keyOf(source.file),
    moved: movedOf(moved),
    form: 'readable',
    name,
    description: description ?? null,
    graph: graphOfSteps(steps),
    locate: (pointer, what) => {
      const { path, at } = readablePlace(partsOf(pointer), steps, nodes)
      return source.place(path, at ?? what)
    },
  }
  return wrong.length > 0 ? { ok: false, findings: wrong, draft: value } : { ok: true, value }
}

/** Returns the place in the readable form of a pointer into the graph: a path, and an index in the text of an `if`. */
function readablePlace(
  [collection, index, ...rest]: readonly string[],
  steps: readonly Step[],
  nodes: ReadonlyMap<string, ReadableNode>,
): { path: Path; at?: number } {
  if (collection === 'edges') {
    return { path: steps.flatMap(({ links }) => links)[Number(index)]?.path ?? ['nodes'] }
  }
  const step = collection === 'nodes' ? steps[Number(index)] : undefined
  if (step === undefined) return { path: collection === undefined ? [] : [collection] }
  const { writtenIn: id, inCondition } = step
  const [member, field = '', ...deeper] = rest
  if (field === 'label' && nodes.get(id)?.label !== undefined) return { path: ['nodes', id, 'label'] }
  if (inCondition !== undefined && member !== 'position') {
    return { path: ['nodes', id, 'if'], at: inCondition.fields[field] ?? inCondition.start }
  }
  if (member === undefined || member === 'id') return { path: ['nodes', id] }
  if (member !== 'data') return { path: ['nodes', id, ...rest] }
  return { path: ['nodes', id, 'with', ...(field === '' ? [] : [field]), ...deeper] }
}

function readGraph(source: Source): ReadResult<WorkflowFile> {
  const shape = checked(source, graphWorkflow)
  if (!shape.ok) return shape
  const { id, moved, name, description, nodes, edges } = shape.value
  const places = layout(
    nodes.map((node) => node.id),
    edges,
  )
  const placed = nodes.map(
    (node): FlowNode => ({ ...node, position: node.position ?? places.get(node.id) ?? { x: 0, y: 0 } }),
  )
  return {
    ok: true,
    value: {
      file: source.file,
      key: typeof id === 'string' ? id : keyOf(source.file),
      moved: movedOf(moved),
      form: 'graph',
      name,
      description: description ?? null,
      graph: { nodes: placed, edges },
      locate: (pointer, what) => source.place(partsOf(pointer), what),
    },
  }
}

export function checked<S extends z.ZodType>(source: Source, schema: S): ReadResult<z.output<S>> {
  const result = schema.safeParse(source.value, { error: inPlainWords })
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, findings: shapeFindings(source, schema, result.error.issues) }
}

/** Most findings of one kind, so that a file full of mistakes costs no more than one with a few. */
const MAX_REPORTED = 20

/** Returns a finding for each deviation from `schema`. An unknown key comes with the nearest known name. */
function shapeFindings(source: Source, schema: z.ZodType, issues: readonly z.core.$ZodIssue[]): Finding[] {
  return issues.slice(0, MAX_REPORTED).flatMap((issue): Finding[] => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
    if (issue.code !== 'unrecognized_keys') {
      return [source.finding(path, 'invalid_value', `${nameOf(path)}: ${issue.message}`)]
    }
    const known = keysAt(schema, path)
    return issue.keys
      .slice(0, MAX_REPORTED)
      .map((key) => source.finding([...path, key], 'unknown_key', unknownKeyText(key, known), 'key'))
  })
}

function unknownKeyText(key: string, known: readonly string[]): string {
  return `There is no "${key}".${didYouMean(key, known) || ` Known names: ${known.join(', ')}.`}`
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'the document' : path.join('.')
}
