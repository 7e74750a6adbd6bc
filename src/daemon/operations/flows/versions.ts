import { z } from 'zod'
import { exportView, versionView } from '../../../core/flows/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { count, message, ok, text } from '../common/answers.js'
import { expectedVersion } from '../common/files.js'
import { rowId } from '../common/row-id.js'
import { http } from '../running.js'
import {
  changing,
  contentBody,
  flowCaller,
  graph,
  ID,
  istInstant,
  MAX_DOCUMENT_BYTES,
  missing,
  missingOr,
  reading,
  WORKFLOW,
  warnings,
  warningsInTurn,
  workflows,
  workflowValues,
} from './workflow-facts.js'

const rollbackBody = z.strictObject({ version: fields.integer(), expect: expectedVersion })

const exportQuery = z.object({
  version: fields
    .integer()
    .optional()
    .meta({ description: 'An earlier version, in place of the current one.' }),
})

const exported = z.strictObject({
  name: text,
  description: text.nullable(),
  ...graph,
  version: z.literal('1.0'),
  exported_at: text,
})
const replaced = ok({
  workflow_id: count,
  migrations: z.array(text),
  needs_reactivate: z.boolean(),
  message,
  warnings,
})

const versionList = ok({
  data: z.array(
    z.strictObject({
      version: count,
      at: istInstant,
      by: text,
      origin: z.enum(['edit', 'import', 'replace', 'apply', 'rollback']),
      file: text.nullable(),
      commit: text.nullable(),
      name: text,
      content_hash: text,
      current: z.boolean(),
    }),
  ),
})
const rolledBack = ok({ workflow_id: count, version: count, needs_reactivate: z.boolean(), message })

/** Whole documents of workflows, and their versions. */
export const VERSION_OPERATIONS = {
  'GET /flow/api/workflows/:id/export': workflows(
    'Exports a workflow as a document, without secrets and keys.',
    {
      ...reading,
      ...ID,
      query: exportQuery,
      answer: exported,
      errors: [...missing, 'validation'],
      run: http('a file', async ({ flows, clock }, c) => {
        const { version } = parseWith(exportQuery, c.req.query())
        const id = rowId(c.req.param('id') ?? '')
        const workflow =
          version === undefined ? flows.workflows.get(id) : await flows.contentOfVersion(id, version)
        const file = `${workflow.name.toLowerCase().replace(/[^a-z0-9]/g, '_')}.json`
        c.header('Content-Disposition', `attachment; filename="${file}"`)
        return c.json(exportView(workflow, clock.now()))
      }),
    },
  ),
  'POST /flow/api/workflows/:id/replace': workflows('Replaces the content of a workflow with a document.', {
    live: 'change',
    ...changing,
    ...ID,
    body: contentBody,
    documentBytes: MAX_DOCUMENT_BYTES,
    example: WORKFLOW,
    answer: replaced,
    errors: missingOr,
    audit: { act: 'flow.replace', values: workflowValues },
    run: async ({ flows, identity }, { params, body }, caller) => {
      const id = rowId(params.id)
      const by = flowCaller({ identity }, caller)
      const { workflow, needsReactivate, migrations } = await flows.replace(id, body, by)
      return {
        status: 'success',
        workflow_id: id,
        migrations,
        needs_reactivate: needsReactivate,
        message: replaceMessage(needsReactivate),
        ...(await warningsInTurn(workflow)),
      }
    },
  }),
  'GET /flow/api/workflows/:id/versions': workflows('Lists the versions of a workflow, newest first.', {
    ...reading,
    ...ID,
    answer: versionList,
    errors: missing,
    run: async ({ flows }, { params }) => {
      const id = rowId(params.id)
      const { version } = flows.workflows.get(id)
      return {
        status: 'success',
        data: (await flows.versions(id)).map((row) => versionView(row, version)),
      }
    },
  }),
  'POST /flow/api/workflows/:id/rollback': workflows('Restores the content of an earlier version.', {
    live: 'change',
    ...changing,
    ...ID,
    body: rollbackBody,
    documentBytes: MAX_DOCUMENT_BYTES,
    example: { version: 1 },
    answer: rolledBack,
    errors: [...missingOr, 'conflict'],
    audit: { act: 'flow.roll_back', values: workflowValues },
    run: async ({ flows, identity }, { params, body }, caller) => {
      const id = rowId(params.id)
      const by = flowCaller({ identity }, caller)
      const { workflow, needsReactivate } = await flows.rollback(id, body.version, by, body.expect)
      return {
        status: 'success',
        workflow_id: id,
        version: workflow.version,
        needs_reactivate: needsReactivate,
        message: `Workflow restored to version ${body.version}.`,
      }
    },
  }),
}

function replaceMessage(needsReactivate: boolean): string {
  return needsReactivate
    ? 'Trigger changed and could not be re-registered, so the workflow was deactivated. Activate it again when the trigger is valid.'
    : 'Workflow replaced. Changes apply from the next run.'
}
