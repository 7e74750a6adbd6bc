import { exportView, versionView } from '../../../core/flows/index.js'
import type { Clock } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { contentBody, rollbackBody } from '../../operations/flows/payloads.js'
import { type FlowParts, flowCaller, idOf, readContent, warningsInTurn } from './request.js'

interface FlowVersionParts extends FlowParts {
  clock: Clock
}

/** Returns the handlers that import, export, replace and roll back whole workflow documents. */
export function flowVersionHandlers({ flows, clock, ...parts }: FlowVersionParts) {
  return {
    'POST /flow/api/workflows/import': httpHandler(async (c) => {
      const document = parseWith(contentBody, await readContent(c))
      const { workflow, migrations } = await flows.importNew(document, flowCaller(c, parts).username)
      const notes = migrations.length > 0 ? { migrations } : {}
      return c.json(
        { status: 'success', workflow_id: workflow.id, ...notes, ...(await warningsInTurn(workflow)) },
        201,
      )
    }),
    'GET /flow/api/workflows/:id/export': httpHandler((c) => {
      const workflow = flows.workflows.get(idOf(c))
      const file = `${workflow.name.toLowerCase().replace(/[^a-z0-9]/g, '_')}.json`
      c.header('Content-Disposition', `attachment; filename="${file}"`)
      return c.json(exportView(workflow, clock.now()))
    }),
    'POST /flow/api/workflows/:id/replace': httpHandler(async (c) => {
      const id = idOf(c)
      flows.workflows.get(id)
      const document = parseWith(contentBody, await readContent(c))
      const { workflow, needsReactivate, migrations } = await flows.replace(
        id,
        document,
        flowCaller(c, parts),
      )
      return c.json({
        status: 'success',
        workflow_id: id,
        migrations,
        needs_reactivate: needsReactivate,
        message: replaceMessage(needsReactivate),
        ...(await warningsInTurn(workflow)),
      })
    }),
    'GET /flow/api/workflows/:id/versions': httpHandler(async (c) => {
      const id = idOf(c)
      const { version } = flows.workflows.get(id)
      return c.json({
        status: 'success',
        data: (await flows.versions(id)).map((row) => versionView(row, version)),
      })
    }),
    'POST /flow/api/workflows/:id/rollback': httpHandler(async (c) => {
      const id = idOf(c)
      flows.workflows.get(id)
      const { version } = parseWith(rollbackBody, await readContent(c))
      const { workflow, needsReactivate } = await flows.rollback(id, version, flowCaller(c, parts))
      return c.json({
        status: 'success',
        workflow_id: id,
        version: workflow.version,
        needs_reactivate: needsReactivate,
        message: `Workflow restored to version ${version}.`,
      })
    }),
  } satisfies Partial<Handlers>
}

function replaceMessage(needsReactivate: boolean): string {
  return needsReactivate
    ? 'Trigger changed and could not be re-registered, so the workflow was deactivated. Activate it again when the trigger is valid.'
    : 'Workflow replaced. Changes apply from the next run.'
}
