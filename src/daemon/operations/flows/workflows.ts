import { z } from 'zod'
import { workflowRow, workflowView } from '../../../core/flows/index.js'
import { AUTH_TYPES, EXECUTION_STATUSES, RUN_TRIGGERS, type Workflow } from '../../../core/flows/schema.js'
import { allows } from '../../../core/identity/index.js'
import type { RunningService } from '../../daemon.js'
import { count, messageOnly, ok, text } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import {
  changing,
  contentBody,
  expectQuery,
  flowCaller,
  graph,
  ID,
  istInstant,
  json,
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

const workflowFields = {
  id: count,
  name: text,
  description: text.nullable(),
  ...graph,
  is_active: z.boolean(),
  webhook_token: text.nullable().meta({ description: 'Null for a credential with read access only.' }),
  webhook_secret: text.nullable().meta({ description: 'Null for a credential with read access only.' }),
  webhook_enabled: z.boolean(),
  webhook_auth_type: z.enum(AUTH_TYPES),
  version: count,
  file_key: text.nullable().meta({ description: 'The id of the workflow in its file.' }),
  drifted: z
    .boolean()
    .meta({ description: 'True if the workflow was changed by hand since it was applied from its file.' }),
  created_at: istInstant,
  updated_at: istInstant,
}

const listedFields = {
  id: count,
  name: text,
  description: text.nullable(),
  is_active: z.boolean(),
  webhook_enabled: z.boolean(),
  version: count,
  file_key: text.nullable(),
  drifted: z.boolean(),
  trigger: z
    .enum(RUN_TRIGGERS)
    .nullable()
    .meta({ description: 'What starts it, once it is active; null without a trigger node.' }),
  next_run_at: istInstant.nullable(),
  created_at: istInstant,
  updated_at: istInstant,
  last_execution_status: z.enum(EXECUTION_STATUSES).nullable(),
  last_execution_at: istInstant.nullable().meta({ description: 'The start of the last run.' }),
}

const workflowCreated = z.strictObject({ ...workflowFields, warnings })
const workflowShown = z.strictObject({
  ...listedFields,
  ...workflowFields,
  schedule_job_id: text.nullable(),
})
const workflowChanged = z.strictObject({ ...workflowFields, needs_reactivate: z.boolean(), warnings })

const workflowList = z.array(z.strictObject(listedFields))
const imported = ok({ workflow_id: count, migrations: z.array(text).optional(), warnings })

/** The workflows of the owner. */
export const WORKFLOW_OPERATIONS = {
  'GET /flow/api/workflows': workflows('Lists the workflows, last changed first.', {
    ...reading,
    answer: workflowList,
    run: ({ flows }) => flows.workflows.list().map((workflow) => rowOf(flows, workflow)),
  }),
  'POST /flow/api/workflows': workflows('Stores a new, inactive workflow.', {
    ...changing,
    body: contentBody,
    documentBytes: MAX_DOCUMENT_BYTES,
    example: WORKFLOW,
    answer: workflowCreated,
    errors: json,
    status: 201,
    audit: { act: 'flow.create', values: workflowValues },
    run: async ({ flows }, { body }, caller) => {
      const workflow = await flows.create(body, caller.username)
      return { ...workflowView(workflow, { secrets: true }), ...(await warningsInTurn(workflow)) }
    },
  }),
  'POST /flow/api/workflows/import': workflows('Imports an exported document as a new workflow.', {
    ...changing,
    body: contentBody,
    documentBytes: MAX_DOCUMENT_BYTES,
    example: WORKFLOW,
    answer: imported,
    errors: json,
    status: 201,
    audit: { act: 'flow.import', values: workflowValues },
    run: async ({ flows }, { body }, caller) => {
      const { workflow, migrations } = await flows.importNew(body, caller.username)
      const notes = migrations.length > 0 ? { migrations } : {}
      return { status: 'success', workflow_id: workflow.id, ...notes, ...(await warningsInTurn(workflow)) }
    },
  }),
  'GET /flow/api/workflows/:id': workflows('Returns a workflow with its graph.', {
    ...reading,
    ...ID,
    answer: workflowShown,
    errors: missing,
    run: ({ flows }, { params }, caller) => {
      const workflow = flows.workflows.get(rowId(params.id))
      return {
        ...rowOf(flows, workflow),
        ...workflowView(workflow, { secrets: allows(caller.principal, 'flows') }),
        schedule_job_id: workflow.scheduleJobId,
      }
    },
  }),
  'PUT /flow/api/workflows/:id': workflows(
    'Changes the given fields. A changed trigger of an active workflow is replaced.',
    {
      live: 'change',
      ...changing,
      ...ID,
      body: contentBody,
      documentBytes: MAX_DOCUMENT_BYTES,
      example: { description: 'Says hello' },
      answer: workflowChanged,
      errors: missingOr,
      audit: { act: 'flow.change', values: workflowValues },
      run: async ({ flows, identity }, { params, body }, caller) => {
        const id = rowId(params.id)
        const { workflow, needsReactivate } = await flows.update(id, body, flowCaller({ identity }, caller))
        return {
          ...workflowView(workflow, { secrets: true }),
          needs_reactivate: needsReactivate,
          ...(await warningsInTurn(workflow)),
        }
      },
    },
  ),
  'DELETE /flow/api/workflows/:id': workflows('Deletes a workflow with its runs and versions.', {
    live: 'less',
    ...changing,
    ...ID,
    query: expectQuery,
    answer: messageOnly,
    errors: [...missing, 'validation', 'conflict'],
    audit: { act: 'flow.delete', values: workflowValues },
    run: async ({ flows }, { params, query }) => {
      await flows.remove(rowId(params.id), query.expect)
      return { status: 'success', message: 'Workflow deleted' }
    },
  }),
}

/** Returns a workflow as a list has it, with its runs. */
function rowOf(flows: RunningService['flows'], workflow: Workflow) {
  const lastRun = flows.executor.lastRun(workflow.id)
  return workflowRow(workflow, { lastRun, nextRun: flows.nextRun(workflow.id) })
}
