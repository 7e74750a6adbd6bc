import { isObject, textMember } from '../../../client/answers/json.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { WORKFLOW_COLUMNS, WORKFLOW_FIELDS } from '../../../views/flows/workflow.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, WORKFLOW } from './find.js'

export const list = declared({
  name: 'list',
  summary: 'Lists the workflows of the daemon.',
  examples: ['flow list', 'flow list --watch', 'flow list --columns id,name,next_run_at', 'flow list --json'],
  isWatchable: true,
  calls: 'GET /flow/api/workflows',
  list: (workflows) => ({
    rows: workflows,
    columns: WORKFLOW_COLUMNS,
    id: 'id',
    empty: 'There are no workflows. Apply some: svc flow apply flows',
  }),
})

export const show: CommandSpec = {
  name: 'show',
  summary: 'Shows one workflow and its nodes; never the secrets of its webhook.',
  examples: ['flow show 3', 'flow show opening-range-breakout', 'flow show 3 --json'],
  arguments: [WORKFLOW],
  async run(context, input) {
    const id = await findId(context, input.required(0))
    const { body } = await context.read('GET /flow/api/workflows/:id', { params: { id } })
    const { webhook_token: _token, webhook_secret: _secret, ...record } = body
    await context.out.record({ record, fields: WORKFLOW_FIELDS, id: 'id' })
    if (context.settings.format !== undefined || context.settings.columns.length > 0) return EXIT.done
    context.out.write('\n')
    await context.out.list({
      rows: nodeRows(body),
      columns: [{ key: 'node' }, { key: 'type' }, { key: 'label' }, { key: 'leads_to', title: 'LEADS TO' }],
      id: 'node',
      empty: 'The workflow has no nodes.',
    })
    return EXIT.done
  },
}

/** Returns each node with its successors; `yes:` and `no:` mark the branches of a condition. */
function nodeRows({ nodes, edges }: RouteAnswer<'GET /flow/api/workflows/:id'>) {
  return nodes.map((node) => ({
    node: node.id,
    type: node.type,
    label: isObject(node.data) ? (textMember(node.data, 'label') ?? '') : '',
    leads_to: edges
      .filter((edge) => edge.source === node.id)
      .map((edge) => [textMember(edge, 'sourceHandle') ?? [], String(edge.target)].flat().join(':')),
  }))
}
