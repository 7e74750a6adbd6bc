import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteAnswer } from '../../../../client/endpoints.js'
import type { WriteReadableOptions } from '../../../../core/flows/files/index.js'
import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { findId, WORKFLOW } from '../find.js'

const FORMS = ['readable', 'graph'] as const
type Form = (typeof FORMS)[number]

/** A workflow of the daemon as a file. */
interface Exported {
  name: string
  text: string
}

export const exportFlows: CommandSpec = {
  name: 'export',
  summary: 'Writes workflows as files, to stdout or into a folder, without secrets.',
  examples: [
    'flow export 3 > flows/opening-range-breakout.yaml',
    'flow export --all --out flows',
    'flow export 3 --form graph',
  ],
  arguments: [{ ...WORKFLOW, syntax: '[workflow]' }],
  options: [
    { flags: '--all', summary: 'every workflow; needs --out' },
    { flags: '--form <form>', summary: 'readable YAML (default), or the graph as JSON', choices: FORMS },
    { flags: '--out <dir>', summary: 'target folder; files of the same names are overwritten' },
  ],
  async run(context, input) {
    const [word, all, out] = [input.argument(0), input.flag('all'), input.text('out')]
    if (all === (word !== undefined)) throw usageError('Name one workflow, or pass --all.')
    if (all && out === undefined)
      throw usageError('--all writes several files and needs a folder.', 'Pass --out DIR.')
    const fallback = context.settings.format === 'json' ? 'graph' : 'readable'
    const form = FORMS.find((one) => one === input.text('form')) ?? fallback
    if (out === undefined) {
      const id = await findId(context, word ?? '')
      context.out.write((await exported(context, id, form, { inFile: false })).text)
      return EXIT.done
    }
    const ids = word === undefined ? await allIds(context) : [await findId(context, word)]
    const files: Exported[] = []
    for (const id of ids) files.push(await exported(context, id, form, { inFile: true }))
    for (const file of written(out, files)) context.out.write(`${file}\n`)
    context.out.note(`${countText(files.length, 'file')} written.`)
    return EXIT.done
  },
}

async function allIds(context: Context): Promise<string[]> {
  const { body } = await context.read('GET /flow/api/workflows')
  return body.map(({ id }) => String(id))
}

async function exported(
  context: Context,
  id: string,
  form: Form,
  { inFile }: { inFile: boolean },
): Promise<Exported> {
  const { exportKey, keyOf } = await import('../../../../core/flows/files/index.js')
  const { body: workflow } = await context.read('GET /flow/api/workflows/:id', { params: { id } })
  const { body: document } = await context.read('GET /flow/api/workflows/:id/export', { params: { id } })
  // Without the key in it, the export would become a second workflow when it is applied.
  const key = workflow.file_key ?? exportKey(workflow, 'workflow')
  if (form === 'graph') {
    return { name: `${key}.json`, text: `${JSON.stringify({ id: key, ...document }, undefined, 2)}\n` }
  }
  const isSaid = !(inFile && keyOf(`${key}.yaml`) === key)
  const options = isSaid ? { key } : {}
  return { name: `${key}.yaml`, text: await readable(document, id, options) }
}

type ExportedWorkflow = RouteAnswer<'GET /flow/api/workflows/:id/export'>

/** Returns the readable form. @throws CliError for a draft that has none */
async function readable(
  document: ExportedWorkflow,
  id: string,
  options: WriteReadableOptions,
): Promise<string> {
  const { readWorkflow, writeReadable } = await import('../../../../core/flows/files/index.js')
  const { name, description, nodes, edges } = document
  const read = readWorkflow(JSON.stringify({ id: 'export', name, description, nodes, edges }), 'export.json')
  if (read.ok) return writeReadable(read.value, options)
  throw new CliError(EXIT.failed, `Workflow ${id} has no readable form: ${read.findings[0]?.message ?? ''}`, {
    hint: `Export the graph: svc flow export ${id} --form graph`,
  })
}

function written(directory: string, files: readonly Exported[]): string[] {
  try {
    mkdirSync(directory, { recursive: true })
    return files.map(({ name, text }) => {
      const path = join(directory, name)
      writeFileSync(path, text)
      return path
    })
  } catch (cause) {
    throw new CliError(EXIT.failed, `${directory} cannot be written.`, { cause })
  }
}
