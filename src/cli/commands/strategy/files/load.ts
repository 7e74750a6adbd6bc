import type { Finding, StrategyFile } from '../../../../core/strategies/files/index.js'
import { visible } from '../../../../views/table/cells.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { fileText, isFolder } from '../../flow/files/folder.js'
import { documentsAt, requireKind } from '../../flow/plans/documents.js'

/** The strategies in the files, and all findings about them. */
interface Loaded {
  files: readonly string[]
  strategies: readonly StrategyFile[]
  findings: readonly Finding[]
}

/** Returns the strategy files at the paths. A file that is named is one; a folder may hold workflows, too. */
export async function strategiesAt(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => (isFolder(path) ? (await documentsAt([path], 'strategy')).strategy : [path])),
  )
  const files = [...new Set(found.flat())]
  if (files.length === 0) throw usageError('No strategy file found.', 'Files: *.yaml, *.yml, *.json')
  return files
}

/** Returns the error for a file that cannot be read: a line for each finding. */
export async function unreadable(findings: readonly Finding[]): Promise<CliError> {
  const { findingText } = await import('../../../../core/strategies/files/index.js')
  const lines = findings.map((finding) => visible(findingText(finding)))
  return new CliError(EXIT.usage, lines.join('\n'), { lines: true })
}

/**
 * Reads the strategy in a file, without a daemon.
 * @param verb the command that takes a file of workflows, too
 * @throws CliError with the reasons why it cannot be read
 */
export async function strategyInFile(file: string, verb?: string): Promise<StrategyFile> {
  const { MAX_FILE_BYTES, readStrategyFile, tooLarge } = await import(
    '../../../../core/strategies/files/index.js'
  )
  const text = fileText(file, MAX_FILE_BYTES)
  if (text === undefined) throw new CliError(EXIT.usage, `${file}: ${tooLarge()}`)
  requireKind('strategy', file, text, verb)
  const read = readStrategyFile(text, file)
  if (read.ok) return read.value
  throw await unreadable(read.findings)
}

/** Reads and checks strategy files. Two strategies with the same id, or with the same name, are an error. */
export async function loadStrategies(files: readonly string[]): Promise<Loaded> {
  if (files.length === 0) return { files, strategies: [], findings: [] }
  const { MAX_FILE_BYTES, movedFaults, readStrategyFile, tooLarge } = await import(
    '../../../../core/strategies/files/index.js'
  )
  const strategies: StrategyFile[] = []
  const findings: Finding[] = []
  const seen = { id: new Map<string, string>(), name: new Map<string, string>() }
  for (const file of files) {
    const text = fileText(file, MAX_FILE_BYTES)
    if (text === undefined) {
      const start = { file, line: 1, column: 1, severity: 'error', path: '' } as const
      findings.push({ ...start, code: 'file_too_large', message: tooLarge() })
      continue
    }
    const read = readStrategyFile(text, file)
    if (!read.ok) {
      findings.push(...read.findings)
      continue
    }
    const { config, finding, key } = read.value
    for (const [of, value] of [
      ['id', key],
      ['name', config.name],
    ] as const) {
      const other = seen[of].get(value)
      if (other === undefined) seen[of].set(value, file)
      else findings.push(finding([of], 'duplicate_id', `The ${of} "${value}" is also the ${of} of ${other}.`))
    }
    strategies.push(read.value)
  }
  for (const { file: strategy, message } of movedFaults(strategies)) {
    findings.push(strategy.finding(['moved'], 'duplicate_id', `${message}.`))
  }
  return { files, strategies, findings }
}
