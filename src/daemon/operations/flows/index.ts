import { z } from 'zod'
import { messageOnly } from '../common/answers.js'
import { open, signedIn } from '../running.js'
import * as answers from './answers.js'
import {
  applyBody,
  authTypeBody,
  contentBody,
  lotSizesBody,
  rollbackBody,
  runBody,
  runsQuery,
  secretBody,
} from './payloads.js'

const flows = signedIn('Workflows')

const json = ['validation', 'too_large', 'unsupported_media'] as const
const reading = { scopes: ['read', 'flows'] } as const
const changing = { scopes: ['flows'] } as const
const ID = { params: { id: 'The id of the workflow.' } } as const
const RUN = { params: { id: 'The id of the run.' } } as const
const SECRET = { params: { name: 'The name of the secret in workflows.' } } as const
const missing = ['not_found'] as const
const missingOr = ['not_found', ...json] as const

const GRAPH = {
  nodes: [
    { id: 'hook', type: 'webhookTrigger', position: { x: 0, y: 0 }, data: {} },
    { id: 'note', type: 'log', position: { x: 0, y: 120 }, data: { message: 'It is {{time}}' } },
  ],
  edges: [{ id: 'e1', source: 'hook', target: 'note' }],
}
const WORKFLOW = { name: 'Greeting', ...GRAPH }
const FILES = { workflows: [{ key: 'greeting', ...WORKFLOW }] }

/** The answers of a run that failed, was cancelled or did not start. */
const runs = {
  409: answers.runEnded,
  500: answers.runFailed,
  502: answers.runFailed,
}

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

const webhook = (params: Readonly<Record<string, string>>) =>
  open('Workflows')(
    'Runs a workflow by its webhook. The token and the secret, or a signature, are the credential.',
    {
      params,
      limit: 'webhook',
      headers: ['Idempotency-Key', 'X-Request-Timeout', ...SIGNATURE_HEADERS],
      query: z.object({ secret: z.string().optional() }),
      answer: answers.webhookFired,
      others: { 409: answers.webhookFired, 500: answers.webhookFired, 502: answers.webhookFired },
      errors: [
        'not_found',
        'forbidden',
        'unauthenticated',
        'validation',
        'too_large',
        'rate_limited',
        'unavailable',
        'conflict',
      ],
    },
  )

export const FLOW_OPERATIONS = {
  'GET /flow/api/workflows': flows('Lists the workflows, last changed first.', {
    ...reading,
    answer: answers.workflowList,
  }),
  'POST /flow/api/workflows': flows('Stores a new, inactive workflow.', {
    ...changing,
    body: contentBody,
    example: WORKFLOW,
    answer: answers.workflowCreated,
    errors: json,
    status: 201,
  }),
  'POST /flow/api/workflows/import': flows('Imports an exported document as a new workflow.', {
    ...changing,
    body: contentBody,
    example: WORKFLOW,
    answer: answers.imported,
    errors: json,
    status: 201,
  }),
  'GET /flow/api/workflows/:id': flows('Returns a workflow with its graph.', {
    ...reading,
    ...ID,
    answer: answers.workflowShown,
    errors: missing,
  }),
  'PUT /flow/api/workflows/:id': flows(
    'Changes the given fields. A changed trigger of an active workflow is replaced.',
    {
      ...changing,
      ...ID,
      body: contentBody,
      example: { description: 'Says hello' },
      answer: answers.workflowChanged,
      errors: missingOr,
    },
  ),
  'DELETE /flow/api/workflows/:id': flows('Deletes a workflow with its runs and versions.', {
    ...changing,
    ...ID,
    answer: messageOnly,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/activate': flows(
    'Activates the trigger of a workflow. Runs use the API key of the caller.',
    {
      ...changing,
      ...ID,
      answer: answers.activated,
      errors: [...missing, 'validation'],
    },
  ),
  'POST /flow/api/workflows/:id/deactivate': flows('Deactivates the trigger of a workflow.', {
    ...changing,
    ...ID,
    answer: answers.deactivated,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/execute': flows('Runs a workflow now and answers at the end of the run.', {
    ...changing,
    ...ID,
    answer: answers.executed,
    others: runs,
    errors: [...missing, 'validation', 'conflict'],
  }),
  'GET /flow/api/workflows/:id/executions': flows('Lists the runs of a workflow, newest first.', {
    ...reading,
    ...ID,
    query: runsQuery,
    answer: answers.executionList,
    errors: [...missing, 'validation'],
  }),
  'GET /flow/api/executions/:id': flows('Returns one run with its log.', {
    ...reading,
    ...RUN,
    answer: answers.execution,
    errors: missing,
  }),
  'POST /flow/api/executions/:id/cancel': flows('Cancels a run; it sends nothing more.', {
    ...changing,
    ...RUN,
    answer: messageOnly,
    errors: [...missing, 'conflict'],
  }),
  'GET /flow/api/workflows/:id/follow': flows('Streams the runs of a workflow, one JSON object per line.', {
    ...reading,
    ...ID,
    answerText: 'application/x-ndjson',
    errors: missing,
  }),
  'GET /flow/api/workflows/:id/export': flows('Exports a workflow as a document, without secrets and keys.', {
    ...reading,
    ...ID,
    answer: answers.exported,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/replace': flows('Replaces the content of a workflow with a document.', {
    ...changing,
    ...ID,
    body: contentBody,
    example: WORKFLOW,
    answer: answers.replaced,
    errors: missingOr,
  }),
  'GET /flow/api/workflows/:id/versions': flows('Lists the versions of a workflow, newest first.', {
    ...reading,
    ...ID,
    answer: answers.versions,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/rollback': flows('Restores the content of an earlier version.', {
    ...changing,
    ...ID,
    body: rollbackBody,
    example: { version: 1 },
    answer: answers.rolledBack,
    errors: missingOr,
  }),
  'GET /flow/api/workflows/:id/webhook': flows('Returns the webhook of a workflow with its secrets.', {
    ...changing,
    ...ID,
    answer: answers.webhook,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/enable': flows('Enables the webhook of a workflow.', {
    ...changing,
    ...ID,
    answer: answers.webhookEnabled,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/disable': flows('Disables the webhook of a workflow.', {
    ...changing,
    ...ID,
    answer: messageOnly,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/regenerate': flows('Creates a new webhook token and secret.', {
    ...changing,
    ...ID,
    answer: answers.webhookRotated,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/regenerate-secret': flows('Creates a new webhook secret.', {
    ...changing,
    ...ID,
    answer: answers.secretRotated,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/auth-type': flows(
    'Sets how callers of the webhook show that they know its secret.',
    {
      ...changing,
      ...ID,
      body: authTypeBody,
      example: { auth_type: 'url' },
      answer: answers.authTypeSet,
      errors: missingOr,
    },
  ),
  'GET /flow/api/monitor/status': flows('Lists the active price alerts and order watches.', {
    ...reading,
    answer: answers.monitor,
  }),
  'POST /flow/api/plan': flows('Returns the changes that POST /flow/api/apply would make.', {
    ...changing,
    body: applyBody,
    example: FILES,
    answer: answers.plan,
    errors: json,
  }),
  'POST /flow/api/apply': flows('Makes workflows match their files.', {
    ...changing,
    body: applyBody,
    example: FILES,
    answer: answers.applied,
    errors: json,
  }),
  'POST /flow/api/run': flows(
    'Runs a graph once and streams its log, one JSON object per line. A dry run sends no orders.',
    {
      ...changing,
      body: runBody,
      example: { ...WORKFLOW, dry_run: true },
      answerText: 'application/x-ndjson',
      errors: json,
    },
  ),
  'GET /flow/api/secrets': flows('Lists the names of secrets, never their values.', {
    ...reading,
    answer: answers.secretList,
  }),
  'PUT /flow/api/secrets/:name': flows('Stores a secret, encrypted.', {
    ...changing,
    ...SECRET,
    body: secretBody,
    example: { value: 'swordfish' },
    answer: messageOnly,
    errors: json,
  }),
  'DELETE /flow/api/secrets/:name': flows('Deletes a secret.', {
    ...changing,
    ...SECRET,
    answer: messageOnly,
    errors: missing,
  }),
  'GET /flow/api/index-symbols': flows('Lists the index underlyings with the lot sizes of their contracts.', {
    ...reading,
    answer: answers.indexSymbols,
  }),
  'POST /flow/api/symbol-lotsizes': flows('Returns the lot sizes of up to 50 symbols.', {
    ...changing,
    body: lotSizesBody,
    example: { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] },
    answer: answers.lotSizes,
    errors: json,
  }),
  'POST /flow/webhook/:token': webhook({ token: 'The token of the workflow.' }),
  'POST /flow/webhook/:token/:symbol': webhook({
    token: 'The token of the workflow.',
    symbol: 'The symbol; workflows read it as `webhook.symbol`.',
  }),
}
