import { type Context, Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import {
  type Caller,
  executionView,
  exportView,
  type Flows,
  logView,
  versionView,
  webhookView,
  workflowRow,
  workflowView,
} from '../../core/flows/index.js'
import { allows } from '../../core/identity/index.js'
import type { Clock } from '../../core/time/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { CODE_HEADER } from '../http/errors.js'
import { streamLines } from '../http/ndjson.js'
import { requireScope, requireScopes } from '../middleware/session.js'
import { authTypeBody, contentBody, rollbackBody } from './flow-bodies.js'
import { runAnswer } from './flow-replies.js'

export interface FlowRoutesParts {
  flows: Flows
  clock: Clock
  /** The caller's own key, with which their workflows act. */
  apiKeyOf(username: string): string | undefined
  /** Scheme, host and port under which callers reach the service. */
  baseUrl(): string
}

/** Graphs of five hundred nodes fit; what does not is no workflow. */
const MAX_DOCUMENT_BYTES = 2 * 1_048_576
const DEFAULT_RUNS = 20
const MAX_RUNS = 200

/** Workflows: kept, armed and run (specification, "Flow"), below `/flow/api`. Not limited in rate. */
export function flowRoutes(parts: FlowRoutesParts): Hono<AppEnv> {
  const { flows, clock } = parts
  const callerOf = (c: Context<AppEnv>): Caller => {
    const { username } = c.get('principal')
    return { username, apiKey: parts.apiKeyOf(username) }
  }
  const webhookOf = (id: number) => webhookView(flows.workflows.get(id), parts.baseUrl())
  return (
    new Hono<AppEnv>()
      .use('*', requireScopes('read', 'flows'))
      // Whoever knows the secret of a webhook can run its workflow.
      .use('/workflows/:id/webhook', requireScope('flows'))
      .get('/workflows', (c) =>
        c.json(
          flows.workflows.list().map((workflow) =>
            workflowRow(workflow, {
              lastStatus: flows.executor.lastStatus(workflow.id),
              nextRun: flows.nextRun(workflow.id),
            }),
          ),
        ),
      )
      .post('/workflows', async (c) => {
        const patch = parseWith(contentBody, await readContent(c))
        return c.json(workflowView(await flows.create(patch, callerOf(c).username), { secrets: true }), 201)
      })
      .post('/workflows/import', async (c) => {
        const document = parseWith(contentBody, await readContent(c))
        const { workflow, migrations } = await flows.importNew(document, callerOf(c).username)
        const notes = migrations.length > 0 ? { migrations } : {}
        return c.json({ status: 'success', workflow_id: workflow.id, ...notes }, 201)
      })
      .get('/workflows/:id', (c) => {
        const workflow = flows.workflows.get(idOf(c))
        return c.json({
          ...workflowView(workflow, { secrets: allows(c.get('principal'), 'flows') }),
          schedule_job_id: workflow.scheduleJobId,
        })
      })
      .put('/workflows/:id', async (c) => {
        const id = idOf(c)
        flows.workflows.get(id)
        const patch = parseWith(contentBody, await readContent(c))
        const { workflow, needsReactivate } = await flows.update(id, patch, callerOf(c))
        return c.json({ ...workflowView(workflow, { secrets: true }), needs_reactivate: needsReactivate })
      })
      .delete('/workflows/:id', async (c) => {
        await flows.remove(idOf(c))
        return c.json({ status: 'success', message: 'Workflow deleted' })
      })
      .post('/workflows/:id/activate', async (c) => {
        const type = await flows.activate(idOf(c), callerOf(c))
        if (type === undefined) {
          return c.json({ status: 'already_active', message: 'Workflow is already active' })
        }
        return c.json({ status: 'success', message: `Workflow activated with ${type} trigger` })
      })
      .post('/workflows/:id/deactivate', async (c) => {
        const id = idOf(c)
        const answer = (await flows.deactivate(id))
          ? { status: 'success', message: 'Workflow deactivated' }
          : { status: 'already_inactive', message: 'Workflow is already inactive' }
        const running = flows.executor.runningId(id)
        return c.json({ ...answer, ...(running !== undefined && { running_execution_id: running }) })
      })
      .post('/workflows/:id/execute', async (c) => {
        const { status, body } = runAnswer(await flows.execute(idOf(c), callerOf(c)))
        if (status === 409) c.header(CODE_HEADER, 'conflict')
        return c.json(body, status)
      })
      .get('/workflows/:id/executions', async (c) => {
        const rows = await flows.executions(idOf(c), runsAsked(c.req.query('limit')))
        return c.json(rows.map((row) => executionView(row, flows.executor.liveLog(row.id))))
      })
      .get('/executions/:id', async (c) => {
        const row = await flows.execution(idOf(c, 'Execution'))
        return c.json(executionView(row, flows.executor.liveLog(row.id)))
      })
      .post('/executions/:id/cancel', async (c) => {
        const id = idOf(c, 'Execution')
        if (!flows.executor.cancel(id, callerOf(c).username)) {
          await flows.execution(id)
          throw new ServiceError('conflict', 'The execution has ended already')
        }
        return c.json({ status: 'success', message: 'Execution is being cancelled' })
      })
      .get('/workflows/:id/follow', (c) => {
        const { id } = flows.workflows.get(idOf(c))
        return streamLines(c, ({ send }) =>
          flows.executor.follow(id, (event) => {
            const { type, executionId, ...rest } = event
            const facts = 'entry' in rest ? logView(rest.entry) : rest
            send({ type, execution_id: executionId, ...facts })
          }),
        )
      })
      .get('/workflows/:id/export', (c) => {
        const workflow = flows.workflows.get(idOf(c))
        const file = `${workflow.name.toLowerCase().replace(/[^a-z0-9]/g, '_')}.json`
        c.header('Content-Disposition', `attachment; filename="${file}"`)
        return c.json(exportView(workflow, clock.now()))
      })
      .post('/workflows/:id/replace', async (c) => {
        const id = idOf(c)
        flows.workflows.get(id)
        const document = parseWith(contentBody, await readContent(c))
        const { needsReactivate, migrations } = await flows.replace(id, document, callerOf(c))
        const message = replaceMessage(needsReactivate)
        return c.json({
          status: 'success',
          workflow_id: id,
          migrations,
          needs_reactivate: needsReactivate,
          message,
        })
      })
      .get('/workflows/:id/versions', async (c) => {
        const id = idOf(c)
        const { version } = flows.workflows.get(id)
        return c.json({
          status: 'success',
          data: (await flows.versions(id)).map((row) => versionView(row, version)),
        })
      })
      .post('/workflows/:id/rollback', async (c) => {
        const id = idOf(c)
        flows.workflows.get(id)
        const { version } = parseWith(rollbackBody, await readContent(c))
        const { workflow, needsReactivate } = await flows.rollback(id, version, callerOf(c))
        return c.json({
          status: 'success',
          workflow_id: id,
          version: workflow.version,
          needs_reactivate: needsReactivate,
          message: `Workflow is as it was in version ${version}.`,
        })
      })
      .get('/workflows/:id/webhook', (c) => c.json(webhookOf(idOf(c))))
      .post('/workflows/:id/webhook/enable', async (c) => {
        const { id } = await flows.setWebhook(idOf(c), { enabled: true })
        return c.json({ status: 'success', message: 'Webhook enabled', ...webhookOf(id) })
      })
      .post('/workflows/:id/webhook/disable', async (c) => {
        await flows.setWebhook(idOf(c), { enabled: false })
        return c.json({ status: 'success', message: 'Webhook disabled' })
      })
      .post('/workflows/:id/webhook/regenerate', async (c) => {
        const { id } = await flows.rotateWebhook(idOf(c), 'both')
        const { webhook_token, webhook_secret, webhook_url, webhook_url_with_symbol } = webhookOf(id)
        const message = 'Webhook token and secret regenerated'
        return c.json({
          status: 'success',
          message,
          webhook_token,
          webhook_secret,
          webhook_url,
          webhook_url_with_symbol,
        })
      })
      .post('/workflows/:id/webhook/regenerate-secret', async (c) => {
        const { id } = await flows.rotateWebhook(idOf(c), 'secret')
        const { webhook_secret } = webhookOf(id)
        return c.json({ status: 'success', message: 'Webhook secret regenerated', webhook_secret })
      })
      .post('/workflows/:id/webhook/auth-type', async (c) => {
        const id = idOf(c)
        flows.workflows.get(id)
        const { auth_type: authType } = parseWith(authTypeBody, await readContent(c))
        await flows.setWebhook(id, { authType })
        const { webhook_auth_type, webhook_url, webhook_url_with_secret } = webhookOf(id)
        const message = `Webhook auth type set to '${webhook_auth_type}'`
        return c.json({ status: 'success', message, webhook_auth_type, webhook_url, webhook_url_with_secret })
      })
      .get('/monitor/status', (c) => c.json(flows.monitorStatus()))
  )
}

/** @throws ServiceError `not_found` for what cannot be an id */
function idOf(c: Context<AppEnv>, what: 'Workflow' | 'Execution' = 'Workflow'): number {
  const text = c.req.param('id') ?? ''
  const id = Number(text)
  if (/^[0-9]+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  const error = `${what} not found`
  throw new ServiceError('not_found', error, { extra: { error } })
}

/** A JSON object; an empty one counts as none. @throws ServiceError `validation` and those of a body */
export async function readContent(c: Context<AppEnv>, maxBytes = MAX_DOCUMENT_BYTES): Promise<object> {
  const length = c.req.header('content-length')
  const body =
    length === '0' || (length === undefined && !c.req.raw.body)
      ? undefined
      : await readJson(c, maxBytes).catch(unreadable)
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (isObject && Object.keys(body).length > 0) return body
  const error = body === undefined || isObject ? 'No data provided' : 'The body must be a JSON object'
  throw new ServiceError('validation', error, { extra: { error } })
}

/** @throws what it is given, a refusal of the text under `error` too */
function unreadable(thrown: unknown): never {
  if (!(thrown instanceof ServiceError) || thrown.code !== 'validation') throw thrown
  throw new ServiceError(thrown.code, thrown.message, { extra: { error: thrown.message } })
}

/** 20 unless a number says otherwise, which is brought within 1 and 200. */
function runsAsked(limit: string | undefined): number {
  const asked = Math.trunc(Number(limit ?? Number.NaN))
  if (Number.isNaN(asked) || asked === 0) return DEFAULT_RUNS
  return Math.min(Math.max(asked, 1), MAX_RUNS)
}

function replaceMessage(needsReactivate: boolean): string {
  return needsReactivate
    ? 'Trigger changed and could not be re-registered, so the workflow was deactivated. Activate it again when the trigger is valid.'
    : 'Workflow replaced. Changes apply from the next run.'
}
