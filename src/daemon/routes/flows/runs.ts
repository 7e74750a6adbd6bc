import { ServiceError } from '../../../core/errors/index.js'
import { type ExecutionRow, executionView, logView } from '../../../core/flows/index.js'
import type { Clock } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { streamLines } from '../../http/body/ndjson.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { deadlineOf } from '../../http/orders/deadline.js'
import { CODE_HEADER } from '../../http/response/errors.js'
import { after, listTexts, streamTexts } from '../../http/response/stream.js'
import { runsQuery } from '../../operations/flows/payloads.js'
import { runAnswer } from './replies.js'
import { type FlowParts, flowCaller, idOf } from './request.js'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const DEFAULT_RUNS = 20
const MAX_RUNS = 200

interface FlowRunParts extends FlowParts {
  clock: Pick<Clock, 'monotonic'>
}

/** Returns the handlers that arm, disarm, run and watch workflows and that list their past runs. */
export function flowRunHandlers({ clock, flows, ...parts }: FlowRunParts) {
  const viewOf = (row: ExecutionRow) => executionView(row, flows.executor.liveLog(row.id))
  return {
    'POST /flow/api/workflows/:id/activate': httpHandler(async (c) => {
      const type = await flows.activate(idOf(c), flowCaller(c, parts))
      if (type === undefined) {
        return c.json({ status: 'already_active', message: 'Workflow is already active' })
      }
      return c.json({ status: 'success', message: `Workflow activated with ${type} trigger` })
    }),
    'POST /flow/api/workflows/:id/deactivate': httpHandler(async (c) => {
      const id = idOf(c)
      const answer = (await flows.deactivate(id))
        ? { status: 'success', message: 'Workflow deactivated' }
        : { status: 'already_inactive', message: 'Workflow is already inactive' }
      const running = flows.executor.runningId(id)
      return c.json({ ...answer, ...(running !== undefined && { running_execution_id: running }) })
    }),
    'POST /flow/api/workflows/:id/execute': httpHandler(async (c) => {
      // A run does not start after its caller's deadline.
      deadlineOf(c, clock)
      const { status, body } = runAnswer(await flows.execute(idOf(c), flowCaller(c, parts)))
      if (status === 409) c.header(CODE_HEADER, 'conflict')
      return c.json(body, status)
    }),
    'GET /flow/api/workflows/:id/executions': httpHandler(async (c) => {
      const { limit, ...query } = parseWith(runsQuery, c.req.query())
      const rows = flows.executions(idOf(c), runsAsked(limit), query)
      const first = await rows.next()
      return streamTexts(c, JSON_TYPE, listTexts(after(first, rows), viewOf))
    }),
    'GET /flow/api/executions/:id': httpHandler(async (c) => {
      const row = await flows.execution(idOf(c, 'Execution'))
      return c.json(viewOf(row))
    }),
    'POST /flow/api/executions/:id/cancel': httpHandler(async (c) => {
      const id = idOf(c, 'Execution')
      if (!flows.executor.cancel(id, flowCaller(c, parts).username)) {
        await flows.execution(id)
        throw new ServiceError('conflict', 'The execution has ended already')
      }
      return c.json({ status: 'success', message: 'Execution is being cancelled' })
    }),
    'GET /flow/api/workflows/:id/follow': httpHandler((c) => {
      const { id } = flows.workflows.get(idOf(c))
      return streamLines(c, ({ send }) =>
        flows.executor.follow(id, (event) => {
          const { type, executionId, ...rest } = event
          const facts = 'entry' in rest ? logView(rest.entry) : rest
          send({ type, execution_id: executionId, ...facts })
        }),
      )
    }),
    'GET /flow/api/monitor/status': httpHandler((c) => c.json(flows.monitorStatus())),
  } satisfies Partial<Handlers>
}

/** Returns how many runs to list: the limit of the query clamped to 1 to 200, or 20 without a usable one. */
function runsAsked(limit: string | undefined): number {
  const asked = Math.trunc(Number(limit ?? Number.NaN))
  if (Number.isNaN(asked) || asked === 0) return DEFAULT_RUNS
  return Math.min(Math.max(asked, 1), MAX_RUNS)
}
