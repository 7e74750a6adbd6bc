import type { Finding, StrategyFile } from '../../../../core/strategies/files/index.js'
import { usageError } from '../../../framework/errors.js'
import { textOf, workflowFiles } from '../../flow/files/folder.js'

/** The strategies in the files, and all findings about them. */
export interface Loaded {
  files: readonly string[]
  strategies: readonly StrategyFile[]
  findings: readonly Finding[]
}

/** Reads and checks strategy files. Two strategies with the same id are an error. */
export async function loadStrategies(paths: readonly string[]): Promise<Loaded> {
  const files = workflowFiles(paths)
  if (files.length === 0) throw usageError('No strategy file found.', 'Files: *.yaml, *.yml, *.json')
  const { MAX_FILE_BYTES, readStrategyFile, tooLarge } = await import(
    '../../../../core/strategies/files/index.js'
  )
  const strategies: StrategyFile[] = []
  const findings: Finding[] = []
  const seen = new Map<string, string>()
  for (const file of files) {
    const text = textOf(file, MAX_FILE_BYTES)
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
    const { key, finding } = read.value
    const other = seen.get(key)
    if (other === undefined) seen.set(key, file)
    else findings.push(finding('duplicate_id', `The id "${key}" is also the id of ${other}.`))
    strategies.push(read.value)
  }
  return { files, strategies, findings }
}
