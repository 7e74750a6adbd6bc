import type { Finding, WorkflowFile } from '../../../../core/flows/files/index.js'
import type { Finding as StrategyFinding } from '../../../../core/strategies/files/index.js'
import { findingLines } from '../../../../views/flows/drawing.js'
import { visible } from '../../../../views/table/cells.js'
import { countText } from '../../../../views/text/count.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { holdsList } from '../plans/documents.js'
import { fileText, noWorkflowText, workflowFileOf } from './folder.js'
import { type KnownSymbol, knownSymbols } from './symbols.js'

/** The workflows in the files, and all findings about them. */
interface Loaded {
  workflows: WorkflowFile[]
  findings: Finding[]
}

/** Returns a check for the symbols that the workflows name. */
type SymbolCheck = (workflows: readonly WorkflowFile[]) => Promise<KnownSymbol | undefined>

export const noFile = () => usageError('No workflow file found.', 'Files: *.yaml, *.yml, *.json')

const MISNAMED =
  'The name is one of scenarios, which are a list, and the file holds something else: rename it.'

/** Reads and checks files, scenarios included. Two workflows with the same id are an error. */
export async function loadFiles(files: readonly string[], symbols: SymbolCheck): Promise<Loaded> {
  const { isScenarioName, lint, MAX_FILE_BYTES, movedFaults, readScenarios, readWorkflow, tooLarge } =
    await import('../../../../core/flows/files/index.js')
  const read = files.map((file): { workflow?: WorkflowFile; findings: Finding[] } => {
    const text = fileText(file, MAX_FILE_BYTES)
    const start = { file, line: 1, column: 1, severity: 'error', path: '' } as const
    if (text === undefined) return { findings: [{ ...start, code: 'file_too_large', message: tooLarge() }] }
    if (isScenarioName(file)) {
      if (!holdsList(text)) return { findings: [{ ...start, code: 'invalid_value', message: MISNAMED }] }
      const scenarios = readScenarios(text, file)
      const orphaned: Finding[] =
        workflowFileOf(file) === undefined
          ? [{ ...start, code: 'invalid_id', message: noWorkflowText(file) }]
          : []
      return { findings: scenarios.ok ? orphaned : [...orphaned, ...scenarios.findings] }
    }
    const result = readWorkflow(text, file)
    if (result.ok) return { workflow: result.value, findings: [] }
    const others = result.draft ? lint(result.draft).filter(({ severity }) => severity === 'error') : []
    return { findings: [...result.findings, ...others] }
  })
  const workflows = read.flatMap(({ workflow }) => workflow ?? [])
  const isKnown = await symbols(workflows)
  const keys = new Map<string, string>()
  const findings = read.flatMap(({ workflow, findings: unreadable }) => {
    if (workflow === undefined) return unreadable
    const doubled = sameIdentity(workflow, keys)
    return [...doubled, ...lint(workflow, isKnown === undefined ? {} : { isKnown })]
  })
  const misplaced = movedFaults(workflows).map(
    ({ file: workflow, message }): Finding => ({
      file: workflow.file,
      ...workflow.locate('/moved'),
      severity: 'error',
      path: '',
      code: 'invalid_id',
      message: `${message}.`,
    }),
  )
  return { workflows, findings: [...findings, ...misplaced] }
}

/**
 * Returns the workflows in the files, to be sent. One error in any file stops all of them.
 * @throws CliError with exit status 2 after it has printed all findings
 */
export async function workflowsToSend(
  context: Context,
  files: readonly string[],
): Promise<readonly WorkflowFile[]> {
  const { isScenarioName } = await import('../../../../core/flows/files/index.js')
  const { workflows, findings } = await loadFiles(
    files.filter((file) => !isScenarioName(file)),
    (named) => knownSymbols(context, named),
  )
  await refuseFaulty(context, findings)
  return workflows
}

/** Prints what is wrong with files that are to be sent. @throws CliError with exit status 2 if one has an error */
export async function refuseFaulty(
  context: Context,
  findings: readonly (Finding | StrategyFinding)[],
): Promise<void> {
  const { findingText } = await import('../../../../core/flows/files/index.js')
  for (const finding of findings) context.io.stderr.write(`${visible(findingText(finding))}\n`)
  const errors = findings.filter(({ severity }) => severity === 'error').length
  if (errors === 0) return
  throw new CliError(EXIT.usage, `${countText(errors, 'error')} in the files; nothing was sent.`)
}

/** Returns the error for a file that cannot be read: a line for each finding. */
export async function unreadable(findings: readonly Finding[]): Promise<CliError> {
  return new CliError(EXIT.usage, (await findingLines(findings)).join('\n'), { lines: true })
}

function sameIdentity(workflow: WorkflowFile, keys: Map<string, string>): Finding[] {
  const { file, key } = workflow
  const other = keys.get(key)
  keys.set(key, other ?? file)
  if (other === undefined) return []
  const message = `The id "${key}" is also the id of ${other}.`
  return [{ file, ...workflow.locate('/id'), severity: 'error', path: '', code: 'duplicate_id', message }]
}
