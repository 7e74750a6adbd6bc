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
  /** The file that it was last applied from. */
  file: string | null
  commit: string | null
}

/** A version that the caller expects the daemon to have, by the key of the file. */
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

/** Returns a sentence for each key whose stored version is not the expected one; a key without a document has none. */
export function unexpectedVersions(
  expected: ExpectedVersions,
  versionOf: (key: string) => number | undefined,
): string[] {
  return Object.entries(expected).flatMap(([key, version]) => {
    const stored = versionOf(key)
    if (stored === version) return []
    return [stored === undefined ? `${key} is not there` : `${key} has version ${stored}, not ${version}`]
  })
}
