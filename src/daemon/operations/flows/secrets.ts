import { z } from 'zod'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { count, messageOnly, ok, text } from '../common/answers.js'
import { changing, json, MAX_DOCUMENT_BYTES, missing, reading, workflows } from './workflow-facts.js'

const SECRET = { params: { name: 'The name of the secret in workflows.' } } as const

const secretBody = z.strictObject({ value: z.string('Not a valid string.') })

const secretList = ok({
  data: z.array(z.strictObject({ name: text, updated_at: count, updated_by: text })),
})

/** The secrets that workflows use. */
export const SECRET_OPERATIONS = {
  'GET /flow/api/secrets': workflows('Lists the names of secrets, never their values.', {
    ...reading,
    answer: secretList,
    run: ({ flows }) => ({ status: 'success', data: flows.secrets.list() }),
  }),
  'PUT /flow/api/secrets/:name': workflows('Stores a secret, encrypted.', {
    ...changing,
    ...SECRET,
    body: secretBody,
    documentBytes: MAX_DOCUMENT_BYTES,
    example: { value: 'swordfish' },
    answer: messageOnly,
    errors: json,
    audit: { act: 'flow.secret_set', values: secretValues },
    run: async ({ flows }, { params, body }, caller) => {
      await flows.secrets.set(params.name, body.value, caller.username)
      return { status: 'success', message: 'Secret stored' }
    },
  }),
  'DELETE /flow/api/secrets/:name': workflows('Deletes a secret.', {
    ...changing,
    ...SECRET,
    answer: messageOnly,
    errors: missing,
    audit: { act: 'flow.secret_remove', values: secretValues },
    run: async ({ flows }, { params }) => {
      await flows.secrets.remove(params.name)
      return { status: 'success', message: 'Secret removed' }
    },
  }),
}

function secretValues({ service }: ActRequest<RunningService>) {
  return Object.fromEntries(service.flows.secrets.list().map(({ name, ...facts }) => [name, facts]))
}
