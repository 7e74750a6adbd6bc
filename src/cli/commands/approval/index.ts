import { APPROVAL_FIELDS, MIXED_COLUMNS, tradeOf } from '../../../views/approvals/approval.js'
import { legColumns, legFields } from '../../../views/approvals/plan.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { EXIT } from '../../framework/exit-codes.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'
import { ORDER_OPTIONS, PERIOD_OPTIONS, rowFilterOf } from '../history.js'
import { approvalId } from '../order/names.js'
import { approveAll } from './all.js'
import { approve, reject, remove } from './decide.js'
import { nextStep, readPlan } from './plan.js'
import { findApproval, queueView, readQueue, STATUSES } from './queue.js'
import { watch } from './watch.js'

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the orders that wait for approval, or those of another state.',
  examples: [
    'approval list',
    'approval list --status all --since 2d',
    'approval list --symbol NSE:SBIN --strategy demo',
    'approval list -q',
    'approval list --json',
  ],
  options: [
    { flags: '--status <status>', summary: 'state (default: pending)', choices: STATUSES },
    ...ORDER_OPTIONS,
    ...PERIOD_OPTIONS,
    ...WATCH_OPTIONS,
  ],
  columns: MIXED_COLUMNS,
  async run(context, input) {
    const status = input.text('status') ?? 'pending'
    const query = { ...rowFilterOf(context, input), status }
    return watchable(context, input, async () => queueView(context, await readQueue(context, query), status))
  },
}

const show: CommandSpec = {
  name: 'show',
  summary: 'Shows one approval with all its details; of a waiting one also every order that it would send.',
  examples: ['approval show 42', 'approval show 42 --json'],
  arguments: [{ syntax: '<approval-id>', summary: 'id from svc approval list', complete: 'approvals' }],
  columns: APPROVAL_FIELDS,
  async run(context, input) {
    const approval = await findApproval(context, approvalId(input.required(0)))
    const isHuman = context.settings.format === undefined
    const trade = isHuman ? tradeOf(approval) : null
    const [planned] = approval.status === 'pending' ? (await readPlan(context, [approval.id])).orders : []
    const shown: Record<string, unknown> = {
      ...approval,
      ...(trade !== null && { trade }),
      ...(planned && (isHuman ? legFields(planned) : { plan: planned })),
    }
    const fields: readonly Column[] =
      planned && isHuman ? [...APPROVAL_FIELDS, ...legColumns(planned)] : APPROVAL_FIELDS
    await context.out.record({ record: shown, id: 'id', fields })
    const next = nextStep(approval)
    if (next !== undefined) context.out.note(next)
    return EXIT.done
  },
}

const count = declared({
  name: 'count',
  summary: 'Prints the number of waiting orders.',
  examples: ['approval count', 'approval count -q'],
  calls: 'GET /action-center/count',
  record: (record) => ({ record, fields: [{ key: 'count' }], id: 'count' }),
})

export const approval: NounSpec = {
  summary: 'The Action Center: orders waiting for approval (semi_auto mode).',
  examples: [
    'approval list',
    'approval watch',
    'approval approve 42',
    'approval reject 42 --reason "too large"',
    'approval approve-all --yes',
  ],
  verbs: [list, show, approve, reject, remove, approveAll, count, watch],
}
