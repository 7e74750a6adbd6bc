import { keyOf } from './key.js'

/** The current version of a stored document, and where it came from. */
export interface StoredVersion {
  version: number
  /** When it was stored, as an ISO time. */
  at: string
  by: string
  /** True if the caller stored it. */
  by_you: boolean
  origin: string
  /** The earlier version whose content a rollback restored; null for any other origin. */
  rolled_back_to: number | null
  /** The file that it was last applied from. */
  file: string | null
  commit: string | null
}

/** The versions that the caller expects the daemon to have, by the key of the file. 0 stands for no document. */
export type ExpectedVersions = Readonly<Record<string, number>>

const MAX_KEY = 100

/**
 * Returns the key that an export gives a document without a key of its own, so that applying the export changes that
 * document and makes no second one.
 */
export function exportKey({ id, name }: { id: number; name: string }, kind: 'workflow' | 'strategy'): string {
  return `${keyOf(name) || kind}-${id}`.slice(-MAX_KEY).replace(/^-+/, '')
}

/** Returns whether two paths, each written from its own folder, can mean the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [segments(one), segments(other)]
  const common = Math.min(a.length, b.length)
  return common > 0 && a.slice(-common).join('/') === b.slice(-common).join('/')
}

function segments(path: string): string[] {
  return path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..')
}

/** Returns a sentence for each key whose stored version is not the expected one. */
export function unexpectedVersions(
  expected: ExpectedVersions,
  versionOf: (key: string) => number | undefined,
): string[] {
  return Object.entries(expected).flatMap(([key, version]) => {
    const stored = versionOf(key) ?? 0
    if (stored === version) return []
    if (stored === 0) return [`${key} is not there`]
    return [`${key} has version ${stored}, ${version === 0 ? 'and was not there' : `not ${version}`}`]
  })
}

/** Returns what a caller with expectations expects, also of the documents that they would delete without having seen them. */
export function expectedOf(
  expected: ExpectedVersions | undefined,
  deleted: readonly string[],
): ExpectedVersions {
  if (expected === undefined) return {}
  return { ...Object.fromEntries(deleted.map((key) => [key, 0])), ...expected }
}
