import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import {
  EXECUTION_STATUSES,
  type ExecutionRow,
  executionView,
  type Flows,
  logView,
} from '../../../core/flows/index.js'
import { RUN_TRIGGERS } from '../../../core/flows/schema.js'
import { requireOnlyMode } from '../../../core/orders/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { streamLinesToCaller } from '../../http/body/caller-lines.js'
import { Reply } from '../../http/response/reply.js'
import { after, listTexts, streamTexts } from '../../http/response/stream.js'
import { count, message, messageOnly, text } from '../common/answers.js'
import { instant } from '../common/payloads.js'
import { rowId } from '../common/row-id.js'
import { http } from '../running.js'
import { executed, logEntry, runAnswer, runOutcomes } from './run-answer.js'
import {
  changing,
  expectQuery,
  flowCaller,
  ID,
  istInstant,
  missing,
  reading,
  warnings,
  warningsInTurn,
  workflows,
  workflowValues,
} from './workflow-facts.js'

const RUN = { params: { id: 'The id of the run.' } } as const
const JSON_TYPE = { 'Content-Type': 'application/json' }
const DEFAULT_RUNS = 20
const MAX_RUNS = 200

/** Any text is accepted as the limit; one that is no number counts as the default. */
const runsQuery = z.object({
  limit: z.string().optional(),
  before: fields.integer().optional(),
  since: instant.optional(),
  until: instant.optional(),
  status: fields.oneOf(EXECUTION_STATUSES).optional(),
})

const activated = z.strictObject({ status: z.enum(['success', 'already_active']), message, warnings })
const deactivated = z.strictObject({
  status: z.enum(['success', 'already_inactive']),
  message,
  running_execution_id: count.optional().meta({ description: 'A running run, which continues.' }),
})

const execution = z.strictObject({
  id: count,
  workflow_id: count,
  status: z.enum(EXECUTION_STATUSES),
  started_at: istInstant,
  completed_at: istInstant.nullable(),
  logs: z.array(logEntry),
  error: text.nullable(),
  trigger: z.enum(RUN_TRIGGERS),
  version: count,
})
const executionList = z.array(execution)

/** Arming and running workflows, and their runs. */
export const RUN_OPERATIONS = {
  'POST /flow/api/workflows/:id/activate': workflows(
    'Activates the trigger of a workflow. Runs use the API key of the caller.',
    {
      live: 'start',
      ...changing,
      ...ID,
      query: expectQuery,
      answer: activated,
      errors: [...missing, 'validation', 'conflict'],
      audit: { act: 'flow.activate', values: workflowValues },
      run: async ({ flows, identity }, { params, query }, caller) => {
        const by = flowCaller({ identity }, caller)
        const id = rowId(params.id)
        const type = await flows.activate(id, by, query.expect)
        if (type === undefined) return { status: 'already_active', message: 'Workflow is already active' }
        const found = await warningsInTurn(flows.workflows.get(id))
        return { status: 'success', message: `Workflow activated with ${type} trigger`, ...found }
      },
    },
  ),
  'POST /flow/api/workflows/:id/deactivate': workflows('Deactivates the trigger of a workflow.', {
    live: 'less',
    ...changing,
    ...ID,
    answer: deactivated,
    errors: missing,
    audit: { act: 'flow.deactivate', values: workflowValues },
    run: async ({ flows }, { params }) => {
      const id = rowId(params.id)
      const isDisarmed = await flows.deactivate(id)
      const running = flows.executor.runningId(id)
      return {
        status: isDisarmed ? 'success' : 'already_inactive',
        message: isDisarmed ? 'Workflow deactivated' : 'Workflow is already inactive',
        ...(running !== undefined && { running_execution_id: running }),
      }
    },
  }),
  'POST /flow/api/workflows/:id/execute': workflows(
    'Runs a workflow now and answers at the end of the run.',
    {
      live: 'start',
      ...changing,
      ...ID,
      headers: ['X-Only-Mode'],
      answer: executed,
      others: runOutcomes,
      errors: [...missing, 'validation', 'conflict'],
      audit: { act: 'flow.execute' },
      run: async ({ flows, identity, mode }, { params }, caller) => {
        // A run does not start after its caller's deadline.
        caller.deadline()
        const onlyMode = caller.onlyMode()
        requireOnlyMode({ onlyMode }, mode())
        const { status, body } = runAnswer(
          await flows.execute(rowId(params.id), flowCaller({ identity }, caller), onlyMode),
        )
        return status === 200 ? body : new Reply(status, body, status === 409 ? 'conflict' : undefined)
      },
    },
  ),
  'GET /flow/api/workflows/:id/executions': workflows('Lists the runs of a workflow, newest first.', {
    ...reading,
    ...ID,
    query: runsQuery,
    answer: executionList,
    errors: [...missing, 'validation'],
    run: http('a stream', async ({ flows }, c) => {
      const { limit, ...query } = parseWith(runsQuery, c.req.query())
      const rows = flows.executions(rowId(c.req.param('id') ?? ''), runsAsked(limit), query)
      const first = await rows.next()
      return streamTexts(c, JSON_TYPE, listTexts(after(first, rows), runView(flows)))
    }),
  }),
  'GET /flow/api/executions/:id': workflows('Returns one run with its log.', {
    ...reading,
    ...RUN,
    answer: execution,
    errors: missing,
    run: async ({ flows }, { params }) => runView(flows)(await flows.execution(rowId(params.id))),
  }),
  'POST /flow/api/executions/:id/cancel': workflows('Cancels a run; it sends nothing more.', {
    live: 'less',
    ...changing,
    ...RUN,
    answer: messageOnly,
    errors: [...missing, 'conflict'],
    audit: { act: 'flow.cancel_run' },
    run: async ({ flows }, { params }, caller) => {
      const id = rowId(params.id)
      if (!flows.executor.cancel(id, caller.username)) {
        await flows.execution(id)
        throw new ServiceError('conflict', 'The execution has ended already')
      }
      return { status: 'success', message: 'Execution is being cancelled' }
    },
  }),
  'GET /flow/api/workflows/:id/follow': workflows(
    'Streams the runs of a workflow, one JSON object per line.',
    {
      ...reading,
      ...ID,
      answerText: 'application/x-ndjson',
      errors: missing,
      run: http('a stream', (service, c) => {
        const { flows } = service
        const { id } = flows.workflows.get(rowId(c.req.param('id') ?? ''))
        return streamLinesToCaller(c, service, ({ send }) =>
          flows.executor.follow(id, (event) => {
            const { type, executionId, ...rest } = event
            const facts = 'entry' in rest ? logView(rest.entry) : rest
            send({ type, execution_id: executionId, ...facts })
          }),
        )
      }),
    },
  ),
}

/** Returns the view of runs, with the log so far of those that go on. */
const runView = (flows: Flows) => (row: ExecutionRow) => executionView(row, flows.executor.liveLog(row.id))

/** Returns how many runs to list: the limit of the query clamped to 1 to 200, or 20 without a usable one. */
function runsAsked(limit: string | undefined): number {
  const asked = Math.trunc(Number(limit ?? Number.NaN))
  if (Number.isNaN(asked) || asked === 0) return DEFAULT_RUNS
  return Math.min(Math.max(asked, 1), MAX_RUNS)
}
