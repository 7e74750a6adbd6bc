import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { crashPoint } from '../errors/index.js'
import { sync, writeDurably } from './durable.js'

/** The folder in the home into which a restore copies its files. A crash leaves it, and the old databases stay. */
export const STAGE = '.restore-stage'
/** The same folder once the restore is decided: from now on, every start finishes it first. */
const DECIDED = '.restore-decided'
/** The same folder once everything is in its place. */
const DONE = '.restore-done'
const PLAN = 'plan.json'
/** The file in the home that tells the next start of the daemon that the home was restored. */
export const RESTORED = 'restored.json'
/** The id in that file of databases that a person has put back by hand. */
export const BY_HAND = 'by-hand'
const plan = z.object({
  /** The files of the backup, relative to the home. */
  restored: z.array(z.string()),
  /** Files of the old home that the backup does not have. */
  removed: z.array(z.string()),
  /** The folder of the home into which the old files are moved. */
  set_aside: z.string(),
})
type Plan = z.output<typeof plan>

/**
 * Decides a restore whose files are staged, with one rename: before it the home is the old one, after it the new
 * one.
 */
export async function decide(home: string, steps: Plan): Promise<void> {
  await writeDurably(join(home, STAGE, PLAN), `${JSON.stringify(steps)}\n`)
  await sync(join(home, STAGE))
  await rename(join(home, STAGE), join(home, DECIDED))
  await sync(home)
  crashPoint('restore.afterDecision')
}

/**
 * Tells the next start of the daemon that a person has put older databases back. A home that is marked already keeps
 * its mark. The caller has the lock of the home.
 */
export async function markRestored(home: string, now: number): Promise<void> {
  const file = join(home, RESTORED)
  if (existsSync(file)) return
  await rm(`${file}.new`, { force: true })
  await writeDurably(
    `${file}.new`,
    `${JSON.stringify({ id: BY_HAND, created_at: new Date(now).toISOString() })}\n`,
  )
  await rename(`${file}.new`, file)
  await sync(home)
}

/** Returns whether a restore was decided and is not finished. */
export function isRestorePending(home: string): boolean {
  return existsSync(join(home, DECIDED))
}

/**
 * Finishes a restore that was decided, and removes the files of one that was not. Each step can be repeated: a file
 * of the backup stays in the decided folder until it takes the place of the old one. Runs under the lock of the home,
 * before anything reads its databases.
 */
export async function finishRestore(home: string): Promise<void> {
  for (const name of [STAGE, DONE]) await rm(join(home, name), { recursive: true, force: true })
  if (!isRestorePending(home)) return
  const decided = join(home, DECIDED)
  const { restored, removed, set_aside } = plan.parse(JSON.parse(await readFile(join(decided, PLAN), 'utf8')))
  const aside = join(home, set_aside)
  for (const name of restored) {
    if (!existsSync(join(decided, name))) continue
    await setAside(home, name, aside)
    await move(join(decided, name), join(home, name))
  }
  for (const name of removed) await setAside(home, name, aside)
  if (existsSync(join(decided, RESTORED))) await move(join(decided, RESTORED), join(home, RESTORED))
  await sync(home)
  await rename(decided, join(home, DONE))
  await sync(home)
  await rm(join(home, DONE), { recursive: true })
}

/** Moves a file of the old home, with its write-ahead log, into the folder of the old files. */
async function setAside(home: string, name: string, aside: string): Promise<void> {
  // The log goes first: beside a file of the backup it would change it.
  for (const part of ['-wal', '-shm', '-journal', '']) {
    const path = join(home, name + part)
    if (existsSync(path)) await move(path, join(aside, name + part))
  }
}

/** Moves a file, so that a power cut leaves it in one of the two folders. */
async function move(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rename(from, to)
  await sync(dirname(to))
  await sync(dirname(from))
  crashPoint('restore.midSwap')
}
