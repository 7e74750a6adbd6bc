import type { CommandSpec } from '../../framework/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { type Row, rowOf, rowsOf, textOf } from '../../http/json.js'
import type { Column } from '../../output/output.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'
import { findId, WORKFLOW, workflowPath } from './find.js'

const COLUMNS: readonly Column[] = [
  { key: 'id', kind: 'quantity' },
  { key: 'file_key', title: 'KEY' },
  { key: 'name' },
  { key: 'is_active', title: 'ACTIVE' },
  { key: 'version', kind: 'quantity' },
  { key: 'drifted' },
  { key: 'last_execution_status', title: 'LAST RUN', kind: 'status' },
  { key: 'next_run_at', title: 'NEXT RUN', kind: 'time' },
]

export const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the workflows of the daemon.',
  examples: ['flow list', 'flow list --watch', 'flow list --fields id,name,next_run_at', 'flow list --json'],
  options: WATCH_OPTIONS,
  run: (context, input) =>
    watchable(context, input, async () => ({
      rows: await context.readList('/flow/api/workflows'),
      columns: COLUMNS,
      id: 'id',
      empty: 'There are no workflows. Apply some: svc flow apply flows',
    })),
}

const FIELDS: readonly Column[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'description' },
  { key: 'file_key', title: 'KEY' },
  { key: 'is_active', title: 'ACTIVE' },
  { key: 'version' },
  { key: 'drifted' },
  { key: 'webhook_enabled', title: 'WEBHOOK' },
  { key: 'webhook_auth_type', title: 'WEBHOOK SECRET IN' },
  { key: 'created_at', title: 'CREATED', kind: 'time' },
  { key: 'updated_at', title: 'UPDATED', kind: 'time' },
]

export const show: CommandSpec = {
  name: 'show',
  summary: 'Shows one workflow and its nodes; never the secrets of its webhook.',
  examples: ['flow show 3', 'flow show opening-range-breakout', 'flow show 3 --json'],
  arguments: [WORKFLOW],
  async run(context, input) {
    const { body } = await context.read(workflowPath(await findId(context, input.required(0))))
    const { webhook_token: _token, webhook_secret: _secret, ...record } = body
    await context.out.record({ record, fields: FIELDS, id: 'id' })
    if (context.settings.format !== undefined || context.settings.fields.length > 0) return EXIT.done
    context.out.write('\n')
    await context.out.list({
      rows: nodeRows(body),
      columns: [{ key: 'node' }, { key: 'type' }, { key: 'label' }, { key: 'leads_to', title: 'LEADS TO' }],
      id: 'node',
      empty: 'It has no nodes.',
    })
    return EXIT.done
  },
}

/** Each node with where it leads, `yes:` and `no:` before the branches of a condition. */
function nodeRows(workflow: Row): Row[] {
  const edges = rowsOf(workflow.edges)
  return rowsOf(workflow.nodes).map((node) => ({
    node: node.id,
    type: node.type,
    label: textOf(rowOf(node.data), 'label') ?? '',
    leads_to: edges
      .filter((edge) => edge.source === node.id)
      .map((edge) => [textOf(edge, 'sourceHandle') ?? [], String(edge.target)].flat().join(':')),
  }))
}
