import { z } from 'zod'
import { PublicError, ServiceError } from '../../../core/errors/index.js'
import { Cancellation, logView, runnableContent } from '../../../core/flows/index.js'
import { allows } from '../../../core/identity/index.js'
import { requireOnlyMode } from '../../../core/orders/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { streamLinesToCaller } from '../../http/body/caller-lines.js'
import { readDocument } from '../../http/body/document.js'
import type { LineSource } from '../../http/body/ndjson.js'
import { lostRightOf } from '../../http/orders/lost-right.js'
import { onlyModeOf } from '../../http/orders/order-request.js'
import { count, ok, text } from '../common/answers.js'
import { applyFacts, fileKey, movedFrom, movedKeys, plannedAction, storedVersion } from '../common/files.js'
import { http } from '../running.js'
import {
  anything,
  changing,
  flowCaller,
  graphList,
  json,
  MAX_DOCUMENT_BYTES,
  reading,
  WORKFLOW,
  words,
  workflows,
  workflowValues,
} from './workflow-facts.js'

/** One request may carry hundreds of files. It is parsed at once, so it must not be longer. */
const MAX_FILES_BYTES = 4 * 1_048_576
const FILES = { workflows: [{ key: 'greeting', ...WORKFLOW }] }

const MAX_FILES = 1000

const data = z.record(z.string(), anything)

/** The last line of a run whose caller's session or token has ended. */
const ENDED_WITH_CALLER = {
  type: 'result',
  status: 'failed',
  error: 'Cancelled: the session or token that started the run has ended',
  failures: [],
  variables: {},
  visited: [],
}

const runBody = z.strictObject({
  name: fields.text(255).default('Workflow'),
  nodes: graphList,
  edges: graphList,
  dry_run: fields.boolean().default(false),
  variables: data.default({}),
  payload: data.optional(),
})

const desired = z.strictObject({
  key: fileKey,
  moved: movedKeys,
  file: fields.text(1024).optional(),
  name: words,
  description: z.string().nullable().default(null),
  nodes: graphList,
  edges: graphList,
})

const applyBody = z.strictObject({
  workflows: fields.list(desired).max(MAX_FILES, `Longer than maximum length ${MAX_FILES}.`),
  activate: fields.boolean().default(false),
  ...applyFacts,
  expect_active: z.record(fileKey, z.boolean('Not a valid boolean.')).optional().meta({
    description:
      'Whether each workflow was active when it was seen, by key. Otherwise nothing is changed (409).',
  }),
})

const planBody = applyBody.extend({
  applicable: fields.boolean().default(false).meta({
    description:
      'Refuse what POST /flow/api/apply would refuse with the same body: a token without its scope, other versions, and workflows that cannot be activated.',
  }),
})

const planned = {
  key: text,
  name: text,
  action: plannedAction,
  moved_from: movedFrom,
  workflow_id: count.nullable(),
  drifted: z.boolean(),
  is_active: z.boolean().meta({ description: 'Whether the workflow is active before the change.' }),
  was_active: z.boolean().meta({
    description: 'Whether it is inactive, and was active: it was deactivated, or its trigger ended.',
  }),
  trigger_changed: z.boolean().meta({ description: 'Whether the change is of its trigger.' }),
  stored: storedVersion,
  namesake: z
    .strictObject({ workflow_id: count, is_active: z.boolean() })
    .nullable()
    .meta({ description: 'A workflow that is not from a file and has the name of the new one.' }),
  changes: z.array(
    z.strictObject({
      kind: z.enum(['added', 'removed', 'changed']),
      path: text,
      before: anything.optional(),
      after: anything.optional(),
    }),
  ),
}
const filePlan = ok({ data: z.array(z.strictObject(planned)) })
const applied = ok({
  data: z.array(
    z.strictObject({
      ...planned,
      version: count.nullable(),
      needs_reactivate: z.boolean(),
      activated: z.boolean(),
    }),
  ),
})

/** Workflow files, and single runs of a graph. */
export const FILE_OPERATIONS = {
  'POST /flow/api/plan': workflows('Returns the changes that POST /flow/api/apply would make.', {
    ...reading,
    body: planBody,
    documentBytes: MAX_FILES_BYTES,
    example: FILES,
    answer: filePlan,
    errors: [...json, 'conflict'],
    audit: { unrecorded: 'It changes nothing.' },
    run: async ({ flows, identity }, { body }, caller) => {
      if (body.applicable && !allows(caller.principal, ...changing.scopes)) {
        throw new ServiceError('forbidden', `This token lacks the scope: ${changing.scopes.join(' or ')}`)
      }
      return { status: 'success', data: await flows.plan(body, flowCaller({ identity }, caller)) }
    },
  }),
  'POST /flow/api/apply': workflows('Makes workflows match their files.', {
    live: 'change',
    ...changing,
    body: applyBody,
    documentBytes: MAX_FILES_BYTES,
    example: FILES,
    answer: applied,
    errors: [...json, 'conflict'],
    audit: { act: 'flow.apply', values: workflowValues },
    run: async ({ flows, identity }, { body }, caller) => ({
      status: 'success',
      data: await flows.apply(body, flowCaller({ identity }, caller)),
    }),
  }),
  'POST /flow/api/run': workflows(
    'Runs a graph once and streams its log, one JSON object per line. A dry run sends no orders.',
    {
      live: 'start',
      ...changing,
      body: runBody,
      headers: ['X-Only-Mode'],
      example: { ...WORKFLOW, dry_run: true },
      answerText: 'application/x-ndjson',
      errors: [...json, 'conflict'],
      audit: { act: 'flow.run_file' },
      run: http('a stream', async (service, c) => {
        const { flows, identity, mode } = service
        const document = await readDocument(c, MAX_DOCUMENT_BYTES)
        const onlyMode = onlyModeOf(c)
        requireOnlyMode({ onlyMode }, mode())
        const { nodes, edges, name, payload, variables, ...body } = parseWith(runBody, document)
        const content = runnableContent({ name, nodes, edges })
        const principal = c.get('principal')
        const caller = flowCaller({ identity }, principal)
        const cancellation = new Cancellation()
        const begin: LineSource = ({ send, end }) => {
          const run = flows.runOnce(
            {
              content,
              dryRun: body.dry_run,
              payload,
              variables,
              cancellation,
              onlyMode,
              lostRight: lostRightOf(identity, principal),
              onLog: (entry) => send({ type: 'log', ...logView(entry) }),
            },
            caller,
          )
          void run.then(({ status, error, failures, variables, visited }) => {
            send({ type: 'result', status, error: error ?? null, failures, variables, visited })
            end()
          })
          return () => cancellation.cancel(new PublicError('Cancelled: nobody reads the log any more'))
        }
        return streamLinesToCaller(c, service, begin, ENDED_WITH_CALLER)
      }),
    },
  ),
}
