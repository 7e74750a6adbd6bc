import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { noSuch } from '../../framework/errors.js'

/** Returns the reference that workflows use for a secret. */
const reference = (name: string) => `\${secret:${name}}`
const NAME = { syntax: '<name>', summary: `what stands in ${reference('name')}` } as const

const list = declared({
  name: 'list',
  summary: 'Lists the names of secrets, never their values.',
  examples: ['flow secret list'],
  calls: 'GET /flow/api/secrets',
  list: ({ data }) => ({
    rows: data,
    columns: [
      { key: 'name' },
      { key: 'updated_at', title: 'SET', kind: 'time' },
      { key: 'updated_by', title: 'BY' },
    ],
    id: 'name',
    empty: 'There are no secrets. Set one: svc flow secret set NAME',
  }),
})

const set = declared({
  name: 'set',
  summary: 'Stores a secret, encrypted. Reads the value from stdin or a hidden prompt.',
  examples: ['flow secret set telegram', 'pass show telegram | svc flow secret set telegram'],
  arguments: [NAME],
  calls: 'PUT /flow/api/secrets/:name',
  async request(input, { io, prompts }) {
    const name = input.required(0)
    const options = { twice: false, hint: 'Pass it on stdin.' }
    const value = await prompts.secret(!io.stdin.isTty, `The value of ${name}`, options)
    return { params: { name }, body: { value } }
  },
  acted: (_, { request: { params } }) => `Secret ${params.name} is stored. Use it: ${reference(params.name)}`,
})

const remove = declared({
  name: 'remove',
  summary: 'Deletes a secret; nodes that use it fail from then on.',
  examples: ['flow secret remove telegram', 'flow secret remove telegram --yes'],
  arguments: [NAME],
  calls: 'DELETE /flow/api/secrets/:name',
  request: (input) => ({ params: { name: input.required(0) } }),
  asks: ({ request }) => `Remove secret ${request.params.name}`,
  async requireKnown({ context, request }) {
    const { name } = request.params
    const { data } = (await context.read('GET /flow/api/secrets')).body
    if (!data.some((secret) => secret.name === name)) throw noSuch('secret', name, 'svc flow secret list')
  },
  acted: (_, { request }) => `Secret ${request.params.name} is removed.`,
})

export const secret: CommandSpec = {
  name: 'secret',
  summary: `Secrets for workflows. A workflow refers to one as ${reference('name')}.`,
  examples: ['flow secret list', 'flow secret set telegram', 'flow secret remove telegram'],
  verbs: [list, set, remove],
}
