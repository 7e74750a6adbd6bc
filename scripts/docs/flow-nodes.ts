import { hasOutputVariable, NODES, type NodeDefinition } from '../../src/core/flows/files/index.js'
import { BUILTINS } from '../../src/core/flows/language/builtins.js'
import { FAMILIES, type Family } from '../../src/core/flows/nodes/definition.js'
import type { Field } from '../../src/core/flows/nodes/field.js'
import { outputLines } from '../../src/core/flows/nodes/output.js'
import { EXCHANGES } from '../../src/core/instruments/schema.js'
import { code, table } from './table.js'

const HEADINGS: Readonly<Record<Family, string>> = {
  trigger: 'Triggers',
  order: 'Orders',
  data: 'Data',
  condition: 'Conditions and gates',
  streaming: 'Streaming',
  utility: 'Utilities',
}

/** Returns a chapter for every node type, by family. */
export function flowNodes(): string {
  const families = FAMILIES.flatMap((family) => {
    const nodes = Object.values(NODES).filter((node) => node.family === family)
    return [`## ${HEADINGS[family]}`, ...nodes.map(chapter)]
  })
  return [`Exchanges are ${EXCHANGES.map(code).join(', ')}.`, ...families].join('\n\n')
}

function chapter(node: NodeDefinition): string {
  const { type, summary, fields, output } = node
  const fieldRows = Object.entries(fields).map(([name, field]) => [
    field.required ? `${code(name)} *` : code(name),
    kindOf(node, field),
    field.default === undefined || field.default === '' ? '-' : code(String(field.default)),
    descriptionOf(field),
  ])
  const outputRows = outputLines(output).map(({ names, type, meaning }) => [
    names.map(code).join(', '),
    type,
    meaning === '' ? '-' : meaning,
  ])
  return [
    `### ${code(type)}`,
    [summary, ...edgesOf(node), ...outputOf(node)].join(' '),
    ...(fieldRows.length > 0 ? [table(['Field', 'Kind', 'Default', 'Meaning'], fieldRows)] : []),
    ...(outputRows.length > 0 ? [table(['Output', 'Type', 'Meaning'], outputRows)] : []),
  ].join('\n\n')
}

function edgesOf({ branching }: NodeDefinition): string[] {
  return branching ? [`Has ${code('yes')}, ${code('no')} and ${code('always')} edges.`] : []
}

function outputOf(node: NodeDefinition): string[] {
  if (!hasOutputVariable(node)) return []
  const name = node.defaultOutput === undefined ? '' : ` (default: ${code(node.defaultOutput)})`
  return [`${code('outputVariable')}${name} stores its result.`]
}

/** Returns the kind of a field, and whether it is used as written or references in it are resolved. */
function kindOf({ family }: NodeDefinition, { kind, literal }: Field): string {
  const isRead = family !== 'trigger' && !literal && kind !== 'time'
  return isRead ? kind : `${kind}, as written`
}

function descriptionOf({ description, choices, aliases }: Field): string {
  return [
    description,
    // The page lists the exchanges once, at its top.
    ...(choices && choices !== EXCHANGES ? [`One of ${choices.join(', ')}.`] : []),
    ...(aliases ? [`Also: ${aliases.map(code).join(', ')}.`] : []),
  ].join(' ')
}

/** 09:07:05 on a Tuesday in August. */
const SAMPLE = Date.parse('2026-08-04T09:07:05.123+05:30')

/** Returns the built-in variables with their values at one moment. */
export function flowBuiltins(): string {
  const rows = Object.entries(BUILTINS).map(([name, valueAt]) => [code(`{{${name}}}`), code(valueAt(SAMPLE))])
  return table(['Variable', 'On Tuesday, 4 August 2026 at 09:07:05'], rows)
}
