import type { SavedPlan } from '../../../../core/flows/files/index.js'
import type { Context } from '../../../framework/context.js'
import { contractFindingsIfAny, noteUnchecked } from '../../strategy/files/contracts.js'
import { loadStrategies, strategiesAt } from '../../strategy/files/load.js'
import { areComplete } from '../files/folder.js'
import { loadFiles, noFile, refuseFaulty } from '../files/load.js'
import { knownSymbols } from '../files/symbols.js'
import { type Documents, documentsAt } from './documents.js'
import type { Kind } from './rows.js'

type WorkflowContent = NonNullable<SavedPlan['workflows']>[number]
type StrategyContent = NonNullable<SavedPlan['strategies']>[number]

/** The target state of the daemon. A kind without a file is not part of it, and stays as it is. */
export interface Target {
  workflows: readonly WorkflowContent[] | undefined
  strategies: readonly StrategyContent[] | undefined
  /** Delete what was applied from a file and is in none of these. */
  prune: boolean
  /** Activate the inactive workflows. */
  activate: boolean
  /** These are all files, and not some of many. */
  complete: boolean
  commit: string | undefined
}

/** A target, and the files it comes from. */
export interface FileTarget extends Target {
  files: readonly string[]
}

/**
 * Returns the state that the files at the paths describe: for the verbs of workflows, workflows and strategies. One error in
 * any file stops all of them. @throws CliError with exit status 2 after it has printed all findings
 */
export async function targetAt(
  context: Context,
  kind: Kind,
  paths: readonly string[],
  { prune, activate = false }: { prune: boolean; activate?: boolean },
): Promise<FileTarget> {
  const documents = await documentsFor(kind, paths)
  const flows = await loadFiles(documents.workflow, (named) => knownSymbols(context, named))
  const { strategies, findings } = await loadStrategies(documents.strategy)
  const looked = await contractFindingsIfAny(context, strategies)
  noteUnchecked(context, looked)
  await refuseFaulty(context, [...flows.findings, ...findings, ...looked.findings])
  return {
    files: [...documents.workflow, ...documents.strategy],
    workflows: someOf(
      flows.workflows.map(({ key, moved, file, name, description, graph }) => ({
        ...identityOf({ key, moved, file }),
        name,
        description,
        nodes: graph.nodes,
        edges: graph.edges,
      })),
    ),
    strategies: someOf(
      strategies.map(({ config, ...one }) => ({ ...identityOf(one), config: { ...config } })),
    ),
    prune,
    activate,
    complete: areComplete(paths),
    commit: undefined,
  }
}

/** Returns the files for the verbs of one noun. @throws a usage error if there is none */
async function documentsFor(kind: Kind, paths: readonly string[]): Promise<Documents> {
  if (kind === 'strategy') return { workflow: [], strategy: await strategiesAt(paths), scenario: [] }
  const documents = await documentsAt(paths, 'workflow')
  if (documents.workflow.length + documents.strategy.length > 0) return documents
  throw noFile()
}

function identityOf({ key, moved, file }: { key: string; moved: readonly string[]; file: string }) {
  return { key, ...(moved.length > 0 && { moved: [...moved] }), file }
}

function someOf<T>(rows: readonly T[]): readonly T[] | undefined {
  return rows.length > 0 ? rows : undefined
}
