import { execFile } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Io } from './io.js'

const TIMEOUT_MS = 5000
const DIRTY = '-dirty'
/** What git reads as a commit, and never as an option. */
const REVISION = /^[\w./][\w./-]*$/

/** What the git checkout of some files knows. */
export interface Checkout {
  /** The checked-out commit; with `-dirty` if the files are not as they are in it. Undefined outside of a repository. */
  commit: string | undefined
  /** Returns whether a commit is in the checked-out history; undefined if that cannot be known. */
  has(commit: string): Promise<boolean | undefined>
}

/**
 * Returns what the checkout of the files knows. A commit that the user names counts as checked out, without changes. Where
 * no folder is a repository, git is not started.
 */
export async function checkoutOf(
  files: readonly string[],
  env: Io['env'],
  named?: string,
): Promise<Checkout> {
  const [first] = files
  const folder = first === undefined ? '.' : dirname(first)
  const git = (...words: string[]) => gitIn(folder, words)
  const isInside = first !== undefined && (env.GIT_DIR !== undefined || isInRepository(realpathSync(folder)))
  const head = isInside ? outputOf(await git('rev-parse', '--verify', 'HEAD')) : undefined
  const tip = named ?? head
  return {
    commit: named ?? (head && `${head}${(await isDirty(git, files)) ? DIRTY : ''}`),
    has: (commit) => hasCommit(git, head === undefined ? undefined : tip, commit.replace(/-dirty$/, '')),
  }
}

/** Returns whether a folder, or one above it, has a repository. */
function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true
  const above = dirname(folder)
  return above !== folder && isInRepository(above)
}

/** Returns whether a commit is only the base of what was applied. */
export function isDirtyCommit(commit: string): boolean {
  return commit.endsWith(DIRTY)
}

type Git = (...words: string[]) => Promise<GitAnswer>
interface GitAnswer {
  exit: number | undefined
  stdout: string
}

const outputOf = ({ exit, stdout }: GitAnswer) => (exit === 0 ? stdout.trim() : undefined)

/** A file that git ignores or does not know is in no commit either. */
async function isDirty(git: Git, files: readonly string[]): Promise<boolean> {
  const paths = files.map((file) => resolve(file))
  const words = ['status', '--porcelain', '--ignored', '--untracked-files=all', '--', ...paths]
  return outputOf(await git(...words)) !== ''
}

async function hasCommit(git: Git, tip: string | undefined, commit: string): Promise<boolean | undefined> {
  if (tip === undefined || !REVISION.test(commit) || !REVISION.test(tip)) return undefined
  const { exit } = await git('merge-base', '--is-ancestor', commit, tip)
  if (exit === 0) return true
  const isTipHere = (await git('rev-parse', '--verify', '--quiet', `${tip}^{commit}`)).exit === 0
  if (!isTipHere) return undefined
  // A clone without its history knows only its newest commits.
  const shallow = outputOf(await git('rev-parse', '--is-shallow-repository'))
  return shallow === 'false' ? false : undefined
}

function gitIn(folder: string, words: readonly string[]): Promise<GitAnswer> {
  return new Promise((done) => {
    execFile('git', ['-C', folder, ...words], { timeout: TIMEOUT_MS }, (error, stdout) => {
      const code = error === null ? 0 : error.code
      done({ exit: typeof code === 'number' ? code : undefined, stdout })
    })
  })
}
