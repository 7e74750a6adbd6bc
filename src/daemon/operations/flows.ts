import { z } from 'zod'
import { messageOnly } from './answers/common.js'
import * as answers from './answers/flows.js'
import { open, signedIn } from './operation.js'
import {
  applyBody,
  authTypeBody,
  contentBody,
  lotSizesBody,
  rollbackBody,
  runBody,
  secretBody,
} from './payloads/flows.js'

const flows = signedIn('Workflows')

const json = ['validation', 'too_large', 'unsupported_media'] as const
const reading = { scopes: ['read', 'flows'] } as const
const changing = { scopes: ['flows'] } as const
const ID = { params: { id: 'The number of the workflow.' } } as const
const RUN = { params: { id: 'The number of the execution.' } } as const
const SECRET = { params: { name: 'The name workflows call it by.' } } as const
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

const webhook = (params: Readonly<Record<string, string>>) =>
  open('Workflows')('Runs a workflow from outside; token and secret are the credential.', {
    params,
    query: z.object({ secret: z.string().optional() }),
    answer: answers.webhookFired,
    others: { 409: answers.webhookFired, 500: answers.webhookFired, 502: answers.webhookFired },
    errors: [
      'not_found',
      'forbidden',
      'unauthenticated',
      'validation',
      'too_large',
      'unavailable',
      'conflict',
    ],
  })

export const FLOW_OPERATIONS = {
  'GET /flow/api/workflows': flows('All workflows, newest change first.', {
    ...reading,
    answer: answers.workflowList,
  }),
  'POST /flow/api/workflows': flows('Keeps a new workflow, inactive.', {
    ...changing,
    body: contentBody,
    example: WORKFLOW,
    answer: answers.workflow,
    errors: json,
    status: 201,
  }),
  'POST /flow/api/workflows/import': flows('Takes an exported document as a new workflow.', {
    ...changing,
    body: contentBody,
    example: WORKFLOW,
    answer: answers.imported,
    errors: json,
    status: 201,
  }),
  'GET /flow/api/workflows/:id': flows('A workflow with its graph.', {
    ...reading,
    ...ID,
    answer: answers.workflowShown,
    errors: missing,
  }),
  'PUT /flow/api/workflows/:id': flows('Changes what is given; a changed trigger is armed anew.', {
    ...changing,
    ...ID,
    body: contentBody,
    example: { description: 'Says hello' },
    answer: answers.workflowChanged,
    errors: missingOr,
  }),
  'DELETE /flow/api/workflows/:id': flows('Removes a workflow with its runs and versions.', {
    ...changing,
    ...ID,
    answer: messageOnly,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/activate': flows('Arms the trigger, with the key of the caller.', {
    ...changing,
    ...ID,
    answer: answers.activated,
    errors: [...missing, 'validation'],
  }),
  'POST /flow/api/workflows/:id/deactivate': flows('Lets go of the trigger.', {
    ...changing,
    ...ID,
    answer: answers.deactivated,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/execute': flows('Runs a workflow now and answers when it has ended.', {
    ...changing,
    ...ID,
    answer: answers.executed,
    others: runs,
    errors: [...missing, 'validation', 'conflict'],
  }),
  'GET /flow/api/workflows/:id/executions': flows('Its runs, newest first.', {
    ...reading,
    ...ID,
    query: z.object({ limit: z.string().optional() }),
    answer: answers.executionList,
    errors: missing,
  }),
  'GET /flow/api/executions/:id': flows('One run with its log.', {
    ...reading,
    ...RUN,
    answer: answers.execution,
    errors: missing,
  }),
  'POST /flow/api/executions/:id/cancel': flows('Ends a run that is under way; nothing more is sent.', {
    ...changing,
    ...RUN,
    answer: messageOnly,
    errors: [...missing, 'conflict'],
  }),
  'GET /flow/api/workflows/:id/follow': flows('Its runs as they happen, one JSON object a line.', {
    ...reading,
    ...ID,
    answerText: 'application/x-ndjson',
    errors: missing,
  }),
  'GET /flow/api/workflows/:id/export': flows('The document of a workflow, without secrets and keys.', {
    ...reading,
    ...ID,
    answer: answers.exported,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/replace': flows('Puts a document in place of the content of a workflow.', {
    ...changing,
    ...ID,
    body: contentBody,
    example: WORKFLOW,
    answer: answers.replaced,
    errors: missingOr,
  }),
  'GET /flow/api/workflows/:id/versions': flows('Every content it has had, newest first.', {
    ...reading,
    ...ID,
    answer: answers.versions,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/rollback': flows('Puts the content of an earlier version back.', {
    ...changing,
    ...ID,
    body: rollbackBody,
    example: { version: 1 },
    answer: answers.rolledBack,
    errors: missingOr,
  }),
  'GET /flow/api/workflows/:id/webhook': flows('Its webhook, secrets included.', {
    ...changing,
    ...ID,
    answer: answers.webhook,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/enable': flows('Switches the webhook on.', {
    ...changing,
    ...ID,
    answer: answers.webhookEnabled,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/disable': flows('Switches the webhook off.', {
    ...changing,
    ...ID,
    answer: messageOnly,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/regenerate': flows('A new token and a new secret.', {
    ...changing,
    ...ID,
    answer: answers.webhookRotated,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/regenerate-secret': flows('A new secret.', {
    ...changing,
    ...ID,
    answer: answers.secretRotated,
    errors: missing,
  }),
  'POST /flow/api/workflows/:id/webhook/auth-type': flows('Where callers put the secret.', {
    ...changing,
    ...ID,
    body: authTypeBody,
    example: { auth_type: 'url' },
    answer: answers.authTypeSet,
    errors: missingOr,
  }),
  'GET /flow/api/monitor/status': flows('Price alerts and order watches.', {
    ...reading,
    answer: answers.monitor,
  }),
  'POST /flow/api/plan': flows('What applying workflow files would change.', {
    ...changing,
    body: applyBody,
    example: FILES,
    answer: answers.plan,
    errors: json,
  }),
  'POST /flow/api/apply': flows('Brings workflows to what their files say.', {
    ...changing,
    body: applyBody,
    example: FILES,
    answer: answers.applied,
    errors: json,
  }),
  'POST /flow/api/run': flows('Runs a graph once, one JSON object a line; dry, it sends nothing.', {
    ...changing,
    body: runBody,
    example: { ...WORKFLOW, dry_run: true },
    answerText: 'application/x-ndjson',
    errors: json,
  }),
  'GET /flow/api/secrets': flows('Names of secrets; never their values.', {
    ...reading,
    answer: answers.secretList,
  }),
  'PUT /flow/api/secrets/:name': flows('Keeps a secret, encrypted.', {
    ...changing,
    ...SECRET,
    body: secretBody,
    example: { value: 'swordfish' },
    answer: messageOnly,
    errors: json,
  }),
  'DELETE /flow/api/secrets/:name': flows('Forgets a secret.', {
    ...changing,
    ...SECRET,
    answer: messageOnly,
    errors: missing,
  }),
  'GET /flow/api/index-symbols': flows('Index underlyings with the lots of their contracts.', {
    ...reading,
    answer: answers.indexSymbols,
  }),
  'POST /flow/api/symbol-lotsizes': flows('Lot sizes of up to 50 symbols.', {
    ...changing,
    body: lotSizesBody,
    example: { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] },
    answer: answers.lotSizes,
    errors: json,
  }),
  'POST /flow/webhook/:token': webhook({ token: 'The token of the workflow.' }),
  'POST /flow/webhook/:token/:symbol': webhook({
    token: 'The token of the workflow.',
    symbol: 'Becomes `webhook.symbol`.',
  }),
}
