import { statSync } from 'node:fs'
import type { Workflow } from '../../../../core/flows/files/index.js'
import { drawingOf } from '../../../../views/flows/drawing.js'
import { visible } from '../../../../views/table/cells.js'
import type { CommandSpec, Input } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { usageError } from '../../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../../framework/exit-codes.js'
import { findId } from '../find.js'
import { documentsAt } from '../plans/documents.js'
import { noFile } from './load.js'
import { isFileName, workflowInFile, workflowOfDaemon } from './one.js'

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
      summary: 'a file or a folder, or the id, key or name of a workflow',
      complete: 'workflows',
    },
  ],
  options: [{ flags: '--mermaid', summary: 'print a Mermaid flowchart, for Markdown pages' }],
  async run(context, input) {
    const word = input.required(0)
    if (isFolder(word)) return drawFolder(context, input, word)
    const workflow = isFileName(word)
      ? await workflowInFile(word)
      : await workflowOfDaemon(context, await findId(context, word))
    return draw(context, input, workflow)
  },
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Draws each workflow of a folder under the name of its file. */
async function drawFolder(context: Context, input: Input, folder: string): Promise<ExitStatus> {
  if (context.settings.format !== undefined) {
    throw usageError(`${folder} is a folder: -o takes one file.`, 'Name the file.')
  }
  const { workflow: files } = await documentsAt([folder], 'workflow')
  if (files.length === 0) throw noFile()
  for (const [place, file] of files.entries()) {
    const title = input.flag('mermaid') ? `%% ${file}` : file
    context.out.write(`${place === 0 ? '' : '\n'}${visible(title)}\n`)
    await draw(context, input, await workflowInFile(file))
  }
  return EXIT.done
}

async function draw(context: Context, input: Input, workflow: Workflow): Promise<ExitStatus> {
  const { steps, tree, mermaid } = await drawingOf(workflow)
  if (context.settings.format !== undefined) {
    await context.out.list({ rows: steps, columns: [], id: 'id', empty: '' })
  } else if (input.flag('mermaid')) {
    context.out.write(mermaid())
  } else {
    context.out.write(tree(context.io.stdout.columns).join('\n'))
  }
  return EXIT.done
}
