import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Enough for a home and some thousand orders. */
const SIZE = '64m'

/** Returns the first line of the error when an attempt fails; undefined when it succeeds. */
export function reasonAgainst(attempt: () => void): string | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    return String(error).split('\n')[0]
  }
}

/** Mounts a separate file system in memory. @returns its folder */
export function mountSmallDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  return folder
}

export function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder])
  rmSync(folder, { recursive: true, force: true })
}

/** Remounts a disk as read-only or writable. Unlike permissions, read-only also holds for root. */
export function remount(folder: string, access: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${access}`, folder], { stdio: 'pipe' })
}

/** Writes a file until its disk is full. */
export function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  for (let size = 1 << 20; size >= 1; size >>= 1) {
    const block = Buffer.alloc(size)
    while (reasonAgainst(() => writeWhole(descriptor, block)) === undefined);
  }
  closeSync(descriptor)
}

function writeWhole(descriptor: number, block: Buffer): void {
  if (writeSync(descriptor, block) < block.length) throw new Error('short write')
}

/** The reason why this machine cannot mount disks; undefined when it can. */
export const noMounts = reasonAgainst(() => unmount(mountSmallDisk()))
if (noMounts !== undefined) process.stdout.write(`skipped, no disk can be mounted here: ${noMounts}\n`)
