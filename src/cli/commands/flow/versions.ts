import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, WORKFLOW, workflowOf } from './find.js'

export const history = declared({
  name: 'history',
  summary: 'Lists the versions of a workflow, with time, author, file and commit.',
  examples: ['flow history 3', 'flow history opening-range-breakout --json'],
  arguments: [WORKFLOW],
  calls: 'GET /flow/api/workflows/:id/versions',
  request: workflowOf,
  list: ({ data }) => ({
    rows: data,
    columns: [
      { key: 'version', kind: 'quantity' },
      { key: 'current' },
      { key: 'at', kind: 'time' },
      { key: 'by', leaves: 3 },
      { key: 'origin', leaves: 2 },
      { key: 'file', leaves: 4 },
      { key: 'commit', leaves: 5 },
      { key: 'name', leaves: 1 },
    ],
    id: 'version',
    empty: 'There are no versions.',
  }),
})

export const rollback: CommandSpec = {
  name: 'rollback',
  summary: 'Restores an earlier version of a workflow as a new version.',
  examples: ['flow rollback 3 5', 'flow rollback opening-range-breakout 5'],
  details: 'A workflow that was applied from a file then differs from it: see svc flow drift.',
  arguments: [
    WORKFLOW,
    { syntax: '<version>', summary: 'number from svc flow history', complete: 'versions' },
  ],
  async run(context, input) {
    const version = input.argument(1) ?? ''
    if (!/^\d+$/.test(version))
      throw usageError(`"${version}" is not a version number.`, 'List them: svc flow history')
    const id = await findId(context, input.required(0))
    const { body } = await context.change(
      'POST /flow/api/workflows/:id/rollback',
      { params: { id }, body: { version: Number(version) } },
      { followUp: `See the current version: svc flow history ${id}` },
    )
    await context.out.record({
      record: body,
      fields: [{ key: 'workflow_id', title: 'ID' }, { key: 'version' }, { key: 'message' }],
      id: 'version',
    })
    if (body.needs_reactivate) {
      await context.out.warn(`its trigger could not be activated; retry: svc flow activate ${id}`)
    }
    return EXIT.done
  },
}
