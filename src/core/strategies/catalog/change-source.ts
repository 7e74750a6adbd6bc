import { parseStrategy, type StrategyConfig } from '../config/index.js'
import type { StrategyVersionOrigin } from '../config/vocabulary.js'
import type { ListedVersion, VersionRow } from '../store/version-store.js'

/** The credential with which the owner changes a strategy, as the audit trail names it. */
export type ChangeAuthor = Pick<VersionRow, 'credential' | 'credentialId'>

export const UNKNOWN_AUTHOR: ChangeAuthor = { credential: 'unknown', credentialId: null }

/** The author of a change, and where its configuration comes from. */
export type ChangeSource = { author: ChangeAuthor } & (
  | { origin: Extract<StrategyVersionOrigin, 'edit'> }
  | ({ origin: Extract<StrategyVersionOrigin, 'apply'> } & AppliedFile)
  | { origin: Extract<StrategyVersionOrigin, 'rollback'>; version: number; commit: string | null }
)

/** The file that a configuration is applied from. */
export interface AppliedFile {
  fileKey: string
  appliedHash: string
  file: string | undefined
  commit: string | undefined
}

/** Returns what the version of a change says of its source. A change by hand keeps the file of the version before. */
export function versionSource(source: ChangeSource, before: ListedVersion | undefined) {
  const kept = before?.file ?? null
  const { author, origin } = source
  const none = { ...author, origin, rolledBackTo: null, file: kept, commit: null }
  if (source.origin === 'edit') return none
  if (source.origin === 'rollback') return { ...none, rolledBackTo: source.version, commit: source.commit }
  return { ...none, file: source.file ?? kept, commit: source.commit ?? null }
}

/** Returns what the event of a change says of its source; undefined for a change by hand. */
export function eventSource(source: ChangeSource): Readonly<Record<string, unknown>> | undefined {
  if (source.origin === 'edit') return undefined
  if (source.origin === 'rollback') return { rolled_back_to: source.version }
  return { file: source.file, commit: source.commit }
}

/** Returns the message of the event of a change. */
export function changeMessage(fields: string, source: ChangeSource): string {
  return source.origin === 'rollback'
    ? `Restored ${fields} of version ${source.version}`
    : `Updated ${fields}`
}

/** Returns what the row of a strategy says of the file that it is kept in. Only an apply changes it. */
export function fileColumns(source: ChangeSource) {
  if (source.origin !== 'apply') return {}
  return { fileKey: source.fileKey, appliedHash: source.appliedHash }
}

/**
 * Returns the configuration of a version. Fields that a newer version of svc added get their defaults.
 * @throws ServiceError `validation` for one that this version of svc refuses
 */
export function configOfVersion({ config }: Pick<VersionRow, 'config'>): StrategyConfig {
  return parseStrategy(JSON.parse(config))
}
