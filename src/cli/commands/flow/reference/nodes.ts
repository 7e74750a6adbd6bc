import type { NodeDefinition } from '../../../../core/flows/files/index.js'
import type { Column, ListView } from '../../../../views/table/column.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { nearest } from '../../../framework/nearest.js'

export const nodes: CommandSpec = {
  name: 'nodes',
  summary: 'Lists the node types, or shows the fields and outputs of one.',
  examples: [
    'flow nodes',
    'flow nodes placeOrder',
    'flow nodes --columns type,summary',
    'flow nodes indicator --json',
  ],
  arguments: [{ syntax: '[type]', summary: 'node type', complete: 'nodes' }],
  async run(context, input) {
    const { hasOutputVariable, NODES } = await import('../../../../core/flows/files/index.js')
    const type = input.argument(0)
    if (type === undefined) {
      const rows = Object.values(NODES).map((node) => ({
        family: node.family,
        type: node.type,
        summary: node.summary,
      }))
      await context.out.list({
        rows,
        columns: [{ key: 'family' }, { key: 'type' }, { key: 'summary' }],
        id: 'type',
        empty: 'There are no node types.',
      })
      return EXIT.done
    }
    const definition = Object.hasOwn(NODES, type) ? NODES[type] : undefined
    if (definition === undefined) throw unknownType(type, Object.keys(NODES))
    await show(context, definition, hasOutputVariable(definition))
    return EXIT.done
  },
}

/** Returns every node type with its summary. */
export async function nodeTypes(): Promise<{ type: string; summary: string }[]> {
  const { NODES } = await import('../../../../core/flows/files/index.js')
  return Object.values(NODES).map(({ type, summary }) => ({ type, summary }))
}

function unknownType(type: string, known: readonly string[]): CliError {
  const near = known.find((one) => one.toLowerCase() === type.toLowerCase()) ?? nearest(type, known)
  const hint = near === undefined ? 'List them: svc flow nodes' : `Did you mean "${near}"?`
  return new CliError(EXIT.notFound, `There is no node type "${type}".`, { hint })
}

const FIELD_COLUMNS = [
  { key: 'field' },
  { key: 'kind' },
  { key: 'default' },
  { key: 'description' },
] as const satisfies readonly Column[]
const OUTPUT_COLUMNS = [
  { key: 'output' },
  { key: 'type' },
  { key: 'description' },
] as const satisfies readonly Column[]

/** Shows one document if a format was chosen; otherwise the description, the fields and the output. */
async function show(context: Context, definition: NodeDefinition, keepsOutput: boolean): Promise<void> {
  const { type, family, summary, branching, fields, output, defaultOutput } = definition
  const handles = branching ? ['yes', 'no', 'always', 'next'] : ['next']
  if (context.settings.format !== undefined) {
    const kept = keepsOutput ? { output_variable: defaultOutput ?? null } : {}
    const record = { type, family, summary, handles, fields, output, ...kept }
    return context.out.record({ record, fields: [], id: 'type' })
  }
  context.out.write(`${type} (${family}): ${summary}\n`)
  context.out.write(`Exits: ${handles.join(', ')}\n`)
  if (keepsOutput) {
    const name = defaultOutput === undefined ? '' : ` (default: ${defaultOutput})`
    context.out.write(`Stores its result in: outputVariable${name}\n`)
  }
  const fieldRows = Object.entries(fields).map(([name, field]) => ({
    field: field.required ? `${name} *` : name,
    kind: field.kind,
    default: field.default === undefined ? '' : JSON.stringify(field.default),
    description: [
      field.description,
      ...(field.choices ? [`One of ${field.choices.join(', ')}.`] : []),
      ...(field.aliases ? [`Also: ${field.aliases.join(', ')}.`] : []),
    ].join(' '),
  }))
  const { outputLines } = await import('../../../../core/flows/files/index.js')
  const outputRows = outputLines(output).map(({ names, type, meaning }) => ({
    output: names.join(', '),
    type,
    description: meaning,
  }))
  await table(context, { rows: fieldRows, columns: FIELD_COLUMNS, id: 'field' })
  await table(context, { rows: outputRows, columns: OUTPUT_COLUMNS, id: 'output' })
}

async function table<Row extends object>(
  context: Context,
  view: Omit<ListView<Row>, 'empty'>,
): Promise<void> {
  if (view.rows.length === 0) return
  context.out.write('\n')
  await context.out.list({ ...view, empty: '' })
}
