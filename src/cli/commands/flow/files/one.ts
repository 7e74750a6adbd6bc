import type { ReadResult, Workflow, WorkflowFile } from '../../../../core/flows/files/index.js'
import { workflowOf } from '../../../../views/flows/drawing.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { requireKind } from '../plans/documents.js'
import { fileText } from './folder.js'
import { unreadable } from './load.js'

const FILE = /\.(ya?ml|json)$/i

/** Returns whether a word names a file, and not a workflow of the daemon. */
export function isFileName(word: string): boolean {
  return FILE.test(word)
}

/**
 * Reads the workflow in a file, without a daemon.
 * @param verb the command that takes a file of strategies, too
 * @throws CliError with the reasons why it cannot be read
 */
export async function workflowInFile(file: string, verb?: string): Promise<WorkflowFile> {
  const { isScenarioName, MAX_FILE_BYTES, readWorkflow, tooLarge } = await import(
    '../../../../core/flows/files/index.js'
  )
  if (isScenarioName(file)) {
    throw usageError(`${file} has scenarios, not a workflow.`, 'Name the workflow that it tests.')
  }
  const text = fileText(file, MAX_FILE_BYTES)
  if (text === undefined) throw new CliError(EXIT.usage, `${file}: ${tooLarge()}`)
  requireKind('workflow', file, text, verb)
  return readable(readWorkflow(text, file))
}

/** Reads a workflow of the daemon, or one of its versions. */
export async function workflowOfDaemon(context: Context, id: string, version?: number): Promise<Workflow> {
  const query = version === undefined ? {} : { version }
  const { body } = await context.read('GET /flow/api/workflows/:id/export', { params: { id }, query })
  return readable(await workflowOf(body))
}

async function readable<T>(read: ReadResult<T>): Promise<T> {
  if (read.ok) return read.value
  throw await unreadable(read.findings)
}
