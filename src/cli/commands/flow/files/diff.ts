import { isObject } from '../../../../client/answers/json.js'
import type { Difference, Workflow } from '../../../../core/flows/files/index.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { findId } from '../find.js'
import { isFileName, workflowInFile, workflowOfDaemon } from './one.js'

/** `opening-range-breakout@3`: a version of a workflow. */
const VERSIONED = /^(.+)@(\d{1,9})$/

/** One of the two workflows that are compared, and its name in the output. */
interface Side {
  label: string
  workflow: Workflow
}

export const diff: CommandSpec = {
  name: 'diff',
  summary: 'Compares two workflows by node, edge and field. Exit 9 when they differ.',
  examples: [
    'flow diff opening-range-breakout',
    'flow diff flows/opening-range-breakout.yaml',
    'flow diff opening-range-breakout@3 opening-range-breakout@5',
    'flow diff flows/opening-range-breakout.yaml flows/price-alert-exit.yaml --json',
  ],
  details:
    'Each of the two is a file, a workflow of the daemon, or one of its versions: WORKFLOW@VERSION. With one alone:\n' +
    'a file is compared with the workflow that svc flow apply would change; a workflow with its version before; a version with the current one.\n' +
    'A workflow whose own name is like range@3 is meant by that name, unless there is a workflow range: then give ids.\n' +
    'Two files need no daemon. Positions in editors do not count. Strategies: svc strategy diff',
  arguments: [
    { syntax: '<from>', summary: 'a file, a workflow, or WORKFLOW@VERSION', complete: 'workflows' },
    { syntax: '[to]', summary: 'the same; see above for the default', complete: 'workflows' },
  ],
  async run(context, input) {
    const [from, to] = [input.required(0), input.argument(1)]
    const [before, after] =
      to === undefined
        ? await sidesOf(context, from)
        : [await sideOf(context, from), await sideOf(context, to)]
    const { graphDifferences } = await import('../../../../core/flows/files/index.js')
    const rows = graphDifferences(before.workflow, after.workflow)
    if (context.settings.format !== undefined) {
      await context.out.list({ rows, columns: [], id: 'node', empty: '' })
    } else if (rows.length > 0) {
      await context.out.changes([`--- ${before.label}`, `+++ ${after.label}`, ...differenceLines(rows)])
    }
    context.out.note(summary(rows))
    return rows.length > 0 ? EXIT.differences : EXIT.done
  },
}

/** Returns what a single word is compared with, and what it names. */
async function sidesOf(context: Context, word: string): Promise<[Side, Side]> {
  if (isFileName(word)) return [await storedFor(context, word), await sideOf(context, word)]
  const versioned = await versionedName(context, word)
  if (versioned !== undefined) return [await sideOf(context, word), await sideOf(context, versioned.name)]
  const id = await findId(context, word)
  const { body } = await context.read('GET /flow/api/workflows/:id', { params: { id } })
  // A first version is compared with itself: nothing has changed since.
  const earlier = Math.max(1, body.version - 1)
  return [await versionOf(context, id, word, earlier), await versionOf(context, id, word, body.version)]
}

async function sideOf(context: Context, word: string): Promise<Side> {
  if (isFileName(word)) return { label: word, workflow: await workflowInFile(word, 'diff') }
  const versioned = await versionedName(context, word)
  if (versioned !== undefined) {
    const { name, version } = versioned
    return versionOf(context, await findId(context, name), name, version)
  }
  return { label: word, workflow: await workflowOfDaemon(context, await findId(context, word)) }
}

/**
 * Returns the workflow and the version that a word like `range@3` names; undefined for a word that is the name of a workflow
 * itself. @throws a usage error if it may be either
 */
async function versionedName(
  context: Context,
  word: string,
): Promise<{ name: string; version: number } | undefined> {
  const [, name, version] = VERSIONED.exec(word) ?? []
  if (name === undefined || version === undefined) return undefined
  const { body: rows } = await context.read('GET /flow/api/workflows')
  const own = rows.find((row) => row.name === word)
  if (own === undefined) return { name, version: Number(version) }
  const other = rows.find((row) => [String(row.id), row.file_key, row.name].includes(name))
  if (other === undefined) return undefined
  throw usageError(
    `"${word}" is the name of a workflow, and a version of "${name}".`,
    `Give the id: ${own.id} for the workflow, ${other.id}@${version} for the version.`,
  )
}

async function versionOf(context: Context, id: string, name: string, version: number): Promise<Side> {
  return { label: `${name}@${version}`, workflow: await workflowOfDaemon(context, id, version) }
}

/** Returns the workflow that applying the file would change. @throws CliError if it would make a new one */
async function storedFor(context: Context, file: string): Promise<Side> {
  const { exportKey } = await import('../../../../core/flows/files/index.js')
  const { key, moved } = await workflowInFile(file, 'diff')
  const { body: rows } = await context.read('GET /flow/api/workflows')
  const keyed = rows.map((row) => ({ ...row, key: row.file_key ?? exportKey(row, 'workflow') }))
  const found = [key, ...moved].flatMap((one) => keyed.find((row) => row.key === one) ?? [])[0]
  if (found === undefined) {
    throw new CliError(EXIT.notFound, `The daemon has no workflow "${key}" yet.`, {
      code: 'not_found',
      hint: `svc flow apply ${file} would make it.`,
    })
  }
  return versionOf(context, String(found.id), found.key, found.version)
}

/** Returns the differences as lines: one for each node, and below it one for each of its fields and edges. */
function differenceLines(rows: readonly Difference[]): string[] {
  let node: string | null = null
  return rows.flatMap((row) => {
    const isNext = row.node === null || row.node === node || row.of === 'node'
    node = row.node
    const lines =
      row.node === null ? [lineOf(row)] : row.of === 'node' ? nodeLines(row) : [`    ${lineOf(row)}`]
    return isNext ? lines : [`~ ${row.node}`, ...lines]
  })
}

const SIGNS: Readonly<Record<Difference['kind'], string>> = { added: '+', removed: '-', changed: '~' }

function lineOf({ kind, of, field, to, before, after }: Difference): string {
  if (of === 'edge') return `${SIGNS[kind]} ${field} -> ${to}`
  const name =
    of === 'order' ? `order${field === null ? '' : ` of ${field}`}` : (field ?? '').replace(/^with\./, '')
  if (kind === 'changed' || of === 'order') return `~ ${name}: ${textOf(before)} -> ${textOf(after)}`
  return `${SIGNS[kind]} ${name}: ${textOf(kind === 'added' ? after : before)}`
}

/** A node that is there in only one of the two: its type, and its fields below. */
function nodeLines({ kind, node, before, after }: Difference): string[] {
  const value = kind === 'added' ? after : before
  const { if: condition, type, label, with: fields }: Record<string, unknown> = isObject(value) ? value : {}
  const sign = SIGNS[kind]
  return [
    `${sign} ${node} (${condition === undefined ? String(type) : `if ${String(condition)}`})`,
    ...(label === undefined ? [] : [`    ${sign} label: ${textOf(label)}`]),
    ...Object.entries(isObject(fields) ? fields : {}).map(
      ([name, field]) => `    ${sign} ${name}: ${textOf(field)}`,
    ),
  ]
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? ''

/** Returns `Nodes: 1 added, 0 removed, 2 changed. Edges: 1 added, 0 removed.` */
function summary(rows: readonly Difference[]): string {
  if (rows.length === 0) return 'No differences.'
  const count = (of: Difference['of'], kind: Difference['kind']) =>
    rows.filter((row) => row.of === of && row.kind === kind).length
  const whole = new Set(rows.flatMap(({ of, node }) => (of === 'node' ? [node] : [])))
  const changed = new Set(rows.flatMap(({ node }) => (node === null || whole.has(node) ? [] : [node])))
  return (
    `Nodes: ${count('node', 'added')} added, ${count('node', 'removed')} removed, ${changed.size} changed. ` +
    `Edges: ${count('edge', 'added')} added, ${count('edge', 'removed')} removed.`
  )
}
