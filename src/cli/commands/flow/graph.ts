import type { Workflow } from '../../../core/flows/files/index.js'
import type { CommandSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { visible } from '../../output/cells.js'
import { textOf } from './files/folder.js'
import { unreadable } from './files/load.js'
import { findId } from './find.js'

const FILE = /\.(ya?ml|json)$/i
const NARROWEST = 40

export const graph: CommandSpec = {
  name: 'graph',
  summary: 'Draws a workflow: as a tree in the terminal, or as a Mermaid flowchart.',
  examples: [
    'flow graph flows/opening-range-breakout.yaml',
    'flow graph opening-range-breakout',
    'flow graph flows/webhook-order.yaml --mermaid',
  ],
  details:
    'A name ending in .yaml, .yml or .json is a file and needs no daemon. Steps that follow each other stay in one column;\n' +
    'branches are indented and carry yes, no or always. A step that several paths reach is drawn once.',
  arguments: [
    {
      syntax: '<file|workflow>',
      summary: 'a file, or the id, key or name of a workflow',
      complete: 'workflows',
    },
  ],
  options: [{ flags: '--mermaid', summary: 'print a Mermaid flowchart, for Markdown pages' }],
  async run(context, input) {
    const { drawingOf, mermaidOf, treeOf } = await import('../../../core/flows/files/index.js')
    const word = input.required(0)
    const workflow = FILE.test(word) ? await workflowInFile(word) : await workflowNamed(context, word)
    const steps = drawingOf(workflow.graph)
    if (context.settings.format !== undefined) {
      await context.out.list({ rows: steps, columns: [], id: 'id', empty: '' })
    } else if (input.flag('mermaid')) {
      context.out.write(mermaidOf(steps))
    } else {
      const width = Math.max(NARROWEST, context.io.stdout.columns)
      const lines = treeOf(steps, width).split('\n').map(visible)
      context.out.write(lines.join('\n'))
    }
    return EXIT.done
  },
}

async function workflowInFile(file: string): Promise<Workflow> {
  const { MAX_FILE_BYTES, tooLarge } = await import('../../../core/flows/files/index.js')
  const text = textOf(file, MAX_FILE_BYTES)
  if (text === undefined) throw new CliError(EXIT.usage, `${file}: ${tooLarge()}`)
  return parsed(text, file)
}

async function workflowNamed(context: Context, word: string): Promise<Workflow> {
  const id = await findId(context, word)
  const { body } = await context.read('GET /flow/api/workflows/:id/export', { params: { id } })
  const { name, description, nodes, edges } = body
  return parsed(JSON.stringify({ id: 'workflow', name, description, nodes, edges }), 'workflow.json')
}

async function parsed(text: string, file: string): Promise<Workflow> {
  const { readWorkflow } = await import('../../../core/flows/files/index.js')
  const read = readWorkflow(text, file)
  if (read.ok) return read.value
  throw await unreadable(read.findings)
}
