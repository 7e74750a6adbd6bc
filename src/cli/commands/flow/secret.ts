import type { CommandSpec } from '../../framework/command/command.js'
import { noSuch } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

/** Returns the reference that workflows use for a secret. */
const reference = (name: string) => `\${secret:${name}}`
const NAME = { syntax: '<name>', summary: `what stands in ${reference('name')}` } as const

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the names of secrets, never their values.',
  examples: ['flow secret list'],
  async run(context) {
    const { body } = await context.read('GET /flow/api/secrets')
    await context.out.list({
      rows: body.data,
      columns: [
        { key: 'name' },
        { key: 'updated_at', title: 'SET', kind: 'time' },
        { key: 'updated_by', title: 'BY' },
      ],
      id: 'name',
      empty: 'There are no secrets. Set one: svc flow secret set NAME',
    })
    return EXIT.done
  },
}

const set: CommandSpec = {
  name: 'set',
  summary: 'Stores a secret, encrypted. Reads the value from stdin or a hidden prompt.',
  examples: ['flow secret set telegram', 'pass show telegram | svc flow secret set telegram'],
  arguments: [NAME],
  async run(context, input) {
    const name = input.required(0)
    const fromStdin = !context.io.stdin.isTty
    const value = await context.prompts.secret(fromStdin, `The value of ${name}`, {
      twice: false,
      hint: 'Pass it on stdin.',
    })
    const { body } = await context.change('PUT /flow/api/secrets/:name', {
      params: { name },
      body: { value },
    })
    await context.out.acted(body, `Secret ${name} is stored. Use it: ${reference(name)}`)
    return EXIT.done
  },
}

const remove: CommandSpec = {
  name: 'remove',
  summary: 'Deletes a secret; nodes that use it fail from then on.',
  examples: ['flow secret remove telegram', 'flow secret remove telegram --yes'],
  arguments: [NAME],
  async run(context, input) {
    const name = input.required(0)
    await context.prompts.confirm(`Remove secret ${name}`, async () => {
      const { data } = (await context.read('GET /flow/api/secrets')).body
      if (!data.some((secret) => secret.name === name)) throw noSuch('secret', name, 'svc flow secret list')
    })
    const { body } = await context.change('DELETE /flow/api/secrets/:name', { params: { name } })
    await context.out.acted(body, `Secret ${name} is removed.`)
    return EXIT.done
  },
}

export const secret: CommandSpec = {
  name: 'secret',
  summary: `Secrets for workflows. A workflow refers to one as ${reference('name')}.`,
  examples: ['flow secret list', 'flow secret set telegram', 'flow secret remove telegram'],
  verbs: [list, set, remove],
}
