import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { istDateTime } from '../../time/index.js'

const COMMIT_LENGTH = 12
/** The built program. In a checkout that was not built there is none. */
const BUNDLE = 'dist/svc/main.js'

interface BuildSources {
  version: string
  /** The folder of the package, with `package.json`. */
  packageRoot: string
  /** Branch and commit as a container image names them; they override those of a checkout. */
  branch: string | undefined
  commit: string | undefined
}

/** Returns the version and, where the package is a checkout, its branch and commit. */
export function buildFacts({ branch, commit, packageRoot, version }: BuildSources) {
  const checkout = headOf(packageRoot)
  return {
    svc_version: version,
    // The client library is in the same package.
    svc_sdk_version: version,
    git_branch: branch || checkout?.branch || null,
    git_commit: (commit || checkout?.commit)?.slice(0, COMMIT_LENGTH) || null,
    // The pages are in the same bundle as the daemon.
    frontend_build_time: builtAt(packageRoot),
  }
}

function builtAt(packageRoot: string): string | null {
  const bundle = statSync(join(packageRoot, BUNDLE), { throwIfNoEntry: false })
  return bundle === undefined ? null : istDateTime(bundle.mtimeMs)
}

interface Head {
  branch: string | undefined
  commit: string | undefined
}

/** Reads the head of a checkout from git's own files, without running git. */
function headOf(packageRoot: string): Head | undefined {
  const folder = gitFolder(packageRoot)
  const head = folder && fileText(join(folder, 'HEAD'))
  if (!folder || !head) return undefined
  const [, ref] = /^ref: (refs\/heads\/[\w./-]+)$/.exec(head) ?? []
  if (ref === undefined || ref.includes('..')) return { branch: undefined, commit: commitIn(head) }
  // A worktree keeps its branches in the folder that it shares with the others.
  const shared = resolve(folder, fileText(join(folder, 'commondir')) ?? '.')
  return {
    branch: ref.replace('refs/heads/', ''),
    commit: commitIn(fileText(join(shared, ref)) ?? packed(shared, ref)),
  }
}

/** In a worktree `.git` is a file that names the folder. */
function gitFolder(packageRoot: string): string | undefined {
  const path = join(packageRoot, '.git')
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return path
  const named = stats && /^gitdir: (.+)$/.exec(fileText(path) ?? '')?.[1]
  return named && resolve(packageRoot, named)
}

function packed(folder: string, ref: string): string {
  const lines = fileText(join(folder, 'packed-refs'))?.split('\n') ?? []
  return lines.find((line) => line.endsWith(` ${ref}`)) ?? ''
}

const commitIn = (text: string): string | undefined => /^[0-9a-f]{40,64}/.exec(text)?.[0]

function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}
