import { workflowRow, workflowView } from '../../../core/flows/index.js'
import { allows } from '../../../core/identity/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { contentBody } from '../../operations/flows/payloads.js'
import { type FlowParts, flowCaller, idOf, readContent, warningsInTurn } from './request.js'

/** Returns the handlers with which an editor lists, creates, reads, changes and removes workflows. */
export function flowDocumentHandlers({ flows, ...parts }: FlowParts) {
  return {
    'GET /flow/api/workflows': httpHandler((c) =>
      c.json(
        flows.workflows.list().map((workflow) =>
          workflowRow(workflow, {
            lastRun: flows.executor.lastRun(workflow.id),
            nextRun: flows.nextRun(workflow.id),
          }),
        ),
      ),
    ),
    'POST /flow/api/workflows': httpHandler(async (c) => {
      const patch = parseWith(contentBody, await readContent(c))
      const { username } = flowCaller(c, parts)
      const workflow = await flows.create(patch, username)
      return c.json(
        { ...workflowView(workflow, { secrets: true }), ...(await warningsInTurn(workflow)) },
        201,
      )
    }),
    'GET /flow/api/workflows/:id': httpHandler((c) => {
      const workflow = flows.workflows.get(idOf(c))
      return c.json({
        ...workflowView(workflow, { secrets: allows(c.get('principal'), 'flows') }),
        schedule_job_id: workflow.scheduleJobId,
      })
    }),
    'PUT /flow/api/workflows/:id': httpHandler(async (c) => {
      const id = idOf(c)
      flows.workflows.get(id)
      const patch = parseWith(contentBody, await readContent(c))
      const { workflow, needsReactivate } = await flows.update(id, patch, flowCaller(c, parts))
      return c.json({
        ...workflowView(workflow, { secrets: true }),
        needs_reactivate: needsReactivate,
        ...(await warningsInTurn(workflow)),
      })
    }),
    'DELETE /flow/api/workflows/:id': httpHandler(async (c) => {
      await flows.remove(idOf(c))
      return c.json({ status: 'success', message: 'Workflow deleted' })
    }),
  } satisfies Partial<Handlers>
}
