import { z } from 'zod'
import {
  applyBody,
  authTypeBody,
  contentBody,
  lotSizesBody,
  rollbackBody,
  runBody,
  secretBody,
} from '../../routes/flow-bodies.js'
import { type Operation, open, signedIn } from '../operation.js'
import { said } from '../responses/common.js'
import * as answers from '../responses/flows.js'

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

/** How a run that did not go well is answered. */
const runs = {
  200: answers.executed,
  409: answers.runEnded,
  500: answers.runFailed,
  502: answers.runFailed,
}

const webhook = (path: string, params: Readonly<Record<string, string>>): Operation => ({
  ...open('Workflows')('POST', path, 'Runs a workflow from outside; token and secret are the credential.', {
    params,
    query: z.object({ secret: z.string().optional() }),
    answer: answers.webhookFired,
    errors: [
      'not_found',
      'forbidden',
      'unauthenticated',
      'validation',
      'too_large',
      'unavailable',
      'conflict',
    ],
  }),
  answers: {
    200: answers.webhookFired,
    409: answers.webhookFired,
    500: answers.webhookFired,
    502: answers.webhookFired,
  },
})

export const FLOW_OPERATIONS: readonly Operation[] = [
  flows('GET', '/flow/api/workflows', 'All workflows, newest change first.', {
    ...reading,
    answer: answers.workflowList,
  }),
  {
    ...flows('POST', '/flow/api/workflows', 'Keeps a new workflow, inactive.', {
      ...changing,
      body: contentBody,
      example: WORKFLOW,
      answer: answers.workflow,
      errors: json,
    }),
    answers: { 201: answers.workflow },
  },
  {
    ...flows('POST', '/flow/api/workflows/import', 'Takes an exported document as a new workflow.', {
      ...changing,
      body: contentBody,
      example: WORKFLOW,
      answer: answers.imported,
      errors: json,
    }),
    answers: { 201: answers.imported },
  },
  flows('GET', '/flow/api/workflows/:id', 'A workflow with its graph.', {
    ...reading,
    ...ID,
    answer: answers.workflowShown,
    errors: missing,
  }),
  flows('PUT', '/flow/api/workflows/:id', 'Changes what is given; a changed trigger is armed anew.', {
    ...changing,
    ...ID,
    body: contentBody,
    example: { description: 'Says hello' },
    answer: answers.workflowChanged,
    errors: missingOr,
  }),
  flows('DELETE', '/flow/api/workflows/:id', 'Removes a workflow with its runs and versions.', {
    ...changing,
    ...ID,
    answer: said,
    errors: missing,
  }),
  flows('POST', '/flow/api/workflows/:id/activate', 'Arms the trigger, with the key of the caller.', {
    ...changing,
    ...ID,
    answer: answers.activated,
    errors: [...missing, 'validation'],
  }),
  flows('POST', '/flow/api/workflows/:id/deactivate', 'Lets go of the trigger.', {
    ...changing,
    ...ID,
    answer: answers.deactivated,
    errors: missing,
  }),
  {
    ...flows(
      'POST',
      '/flow/api/workflows/:id/execute',
      'Runs a workflow now and answers when it has ended.',
      {
        ...changing,
        ...ID,
        answer: answers.executed,
        errors: [...missing, 'validation', 'conflict'],
      },
    ),
    answers: runs,
  },
  flows('GET', '/flow/api/workflows/:id/executions', 'Its runs, newest first.', {
    ...reading,
    ...ID,
    query: z.object({ limit: z.string().optional() }),
    answer: answers.executionList,
    errors: missing,
  }),
  flows('GET', '/flow/api/executions/:id', 'One run with its log.', {
    ...reading,
    ...RUN,
    answer: answers.execution,
    errors: missing,
  }),
  flows('POST', '/flow/api/executions/:id/cancel', 'Ends a run that is under way; nothing more is sent.', {
    ...changing,
    ...RUN,
    answer: said,
    errors: [...missing, 'conflict'],
  }),
  {
    ...flows('GET', '/flow/api/workflows/:id/follow', 'Its runs as they happen, one JSON object a line.', {
      ...reading,
      ...ID,
      answer: said,
      answerText: 'application/x-ndjson',
      errors: missing,
    }),
    answers: {},
  },
  flows('GET', '/flow/api/workflows/:id/export', 'The document of a workflow, without secrets and keys.', {
    ...reading,
    ...ID,
    answer: answers.exported,
    errors: missing,
  }),
  flows('POST', '/flow/api/workflows/:id/replace', 'Puts a document in place of the content of a workflow.', {
    ...changing,
    ...ID,
    body: contentBody,
    example: WORKFLOW,
    answer: answers.replaced,
    errors: missingOr,
  }),
  flows('GET', '/flow/api/workflows/:id/versions', 'Every content it has had, newest first.', {
    ...reading,
    ...ID,
    answer: answers.versions,
    errors: missing,
  }),
  flows('POST', '/flow/api/workflows/:id/rollback', 'Puts the content of an earlier version back.', {
    ...changing,
    ...ID,
    body: rollbackBody,
    example: { version: 1 },
    answer: answers.rolledBack,
    errors: missingOr,
  }),
  flows('GET', '/flow/api/workflows/:id/webhook', 'Its webhook, secrets included.', {
    ...changing,
    ...ID,
    answer: answers.webhook,
    errors: missing,
  }),
  flows('POST', '/flow/api/workflows/:id/webhook/enable', 'Switches the webhook on.', {
    ...changing,
    ...ID,
    answer: answers.webhookEnabled,
    errors: missing,
  }),
  flows('POST', '/flow/api/workflows/:id/webhook/disable', 'Switches the webhook off.', {
    ...changing,
    ...ID,
    answer: said,
    errors: missing,
  }),
  flows('POST', '/flow/api/workflows/:id/webhook/regenerate', 'A new token and a new secret.', {
    ...changing,
    ...ID,
    answer: answers.webhookRotated,
    errors: missing,
  }),
  flows('POST', '/flow/api/workflows/:id/webhook/regenerate-secret', 'A new secret.', {
    ...changing,
    ...ID,
    answer: answers.secretRotated,
    errors: missing,
  }),
  flows('POST', '/flow/api/workflows/:id/webhook/auth-type', 'Where callers put the secret.', {
    ...changing,
    ...ID,
    body: authTypeBody,
    example: { auth_type: 'url' },
    answer: answers.authTypeSet,
    errors: missingOr,
  }),
  flows('GET', '/flow/api/monitor/status', 'Price alerts and order watches.', {
    ...reading,
    answer: answers.monitor,
  }),
  flows('POST', '/flow/api/plan', 'What applying workflow files would change.', {
    ...changing,
    body: applyBody,
    example: FILES,
    answer: answers.plan,
    errors: json,
  }),
  flows('POST', '/flow/api/apply', 'Brings workflows to what their files say.', {
    ...changing,
    body: applyBody,
    example: FILES,
    answer: answers.applied,
    errors: json,
  }),
  {
    ...flows('POST', '/flow/api/run', 'Runs a graph once, one JSON object a line; dry, it sends nothing.', {
      ...changing,
      body: runBody,
      example: { ...WORKFLOW, dry_run: true },
      answer: said,
      answerText: 'application/x-ndjson',
      errors: json,
    }),
    answers: {},
  },
  flows('GET', '/flow/api/secrets', 'Names of secrets; never their values.', {
    ...reading,
    answer: answers.secretList,
  }),
  flows('PUT', '/flow/api/secrets/:name', 'Keeps a secret, encrypted.', {
    ...changing,
    ...SECRET,
    body: secretBody,
    example: { value: 'swordfish' },
    answer: said,
    errors: json,
  }),
  flows('DELETE', '/flow/api/secrets/:name', 'Forgets a secret.', {
    ...changing,
    ...SECRET,
    answer: said,
    errors: missing,
  }),
  flows('GET', '/flow/api/index-symbols', 'Index underlyings with the lots of their contracts.', {
    ...reading,
    answer: answers.indexSymbols,
  }),
  flows('POST', '/flow/api/symbol-lotsizes', 'Lot sizes of up to 50 symbols.', {
    ...changing,
    body: lotSizesBody,
    example: { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] },
    answer: answers.lotSizes,
    errors: json,
  }),
  webhook('/flow/webhook/:token', { token: 'The token of the workflow.' }),
  webhook('/flow/webhook/:token/:symbol', {
    token: 'The token of the workflow.',
    symbol: 'Becomes `webhook.symbol`.',
  }),
]
