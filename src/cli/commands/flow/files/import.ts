import { isObject, type JsonObject, parseJson } from '../../../../client/answers/json.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { readInput } from '../../order/request.js'
import { findId } from '../find.js'

export const importFlow: CommandSpec = {
  name: 'import',
  summary: 'Imports an exported graph as a new, inactive workflow, or replaces a workflow with it.',
  examples: [
    'flow import breakout.json',
    'flow import breakout.json --replace 3',
    'curl … | svc flow import -',
  ],
  details: 'Old field names are converted to the current ones. For files kept in git, use svc flow apply.',
  arguments: [{ syntax: '<file>', summary: 'a workflow file; - reads stdin' }],
  options: [
    {
      flags: '--replace <workflow>',
      summary: 'the workflow to replace; id, key or name',
      complete: 'workflows',
    },
  ],
  async run(context, input) {
    const file = input.required(0)
    const document = await documentOf(await readInput(file, context.io), file)
    const word = input.text('replace')
    if (word === undefined) {
      const { body } = await context.change(
        'POST /flow/api/workflows/import',
        { body: document },
        {
          followUp: 'Check whether it was imported: svc flow list',
        },
      )
      const [id, migrations] = FIELDS
      await context.out.record({ record: body, fields: [id, migrations], id: 'workflow_id' })
      await warn(context, body)
      context.out.note(`Imported. Next: svc flow activate ${body.workflow_id}`)
      return EXIT.done
    }
    const id = await findId(context, word)
    const { body } = await context.change(
      'POST /flow/api/workflows/:id/replace',
      { params: { id }, body: document },
      {
        followUp: `See the current version: svc flow history ${id}`,
      },
    )
    await context.out.record({ record: body, fields: FIELDS, id: 'workflow_id' })
    await warn(context, body)
    if (body.needs_reactivate) {
      await context.out.warn(`its trigger could not be activated; retry: svc flow activate ${id}`)
    }
    return EXIT.done
  },
}

/** Warns of the problems for which an activation would be refused. */
async function warn(context: Context, { warnings = [] }: { warnings?: readonly { message: string }[] }) {
  for (const { message } of warnings) await context.out.warn(message)
}

const FIELDS = [{ key: 'workflow_id', title: 'ID' }, { key: 'migrations' }, { key: 'message' }] as const

/**
 * Returns the document to send: a graph unchanged, because the daemon knows older names; a readable form as
 * its graph.
 */
async function documentOf(text: string, file: string): Promise<JsonObject> {
  const json = parseJson(text)
  if (isObject(json) && Array.isArray(json.nodes)) return json
  const { findingText, readWorkflow } = await import('../../../../core/flows/files/index.js')
  const read = readWorkflow(text, file === '-' ? 'stdin.yaml' : file)
  if (!read.ok) throw usageError(read.findings.map(findingText).join(' '))
  const { name, description, graph } = read.value
  return { name, description, nodes: graph.nodes, edges: graph.edges }
}
