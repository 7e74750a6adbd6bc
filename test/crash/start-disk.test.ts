import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { casesFor } from '../support/chance/cases.js'
import { fill, mountSmallDisk, noMounts, remount, unmount } from '../support/files/small-disk.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { Terminal } from '../support/terminal.js'

/* A start on a disk that cannot be written ends with a message: which file, why, and what to do next. */

function smallDisk(): string {
  const disk = mountSmallDisk()
  onTestFinished(() => unmount(disk))
  return disk
}

/** Returns a home with one user on its own disk. */
function prepared() {
  const disk = smallDisk()
  const home = join(disk, 'home')
  mkdirSync(home, { mode: 0o700 })
  return { disk, home, daemon: DaemonProcess.prepared({}, home) }
}

/** @returns the output of the command */
async function failedStart(daemon: DaemonProcess): Promise<string> {
  onTestFinished(() => daemon.kill().then(() => undefined))
  await daemon.start({ expectFailure: true, beside: true })
  expect(await daemon.exited()).toEqual({ code: 1, signal: null })
  return daemon.output
}

const FULL =
  /error: The disk is full: \S+ cannot be written \(.+\)\. Free some space on the disk of \S+ and start again/
const READ_ONLY =
  /error: \S+ cannot be written \(.*(EROFS|READONLY|CANTOPEN).*\)\. Make \S+ and the files in it writable/

describe('a start in a home in which a folder has the name of a file', () => {
  function home(name: string): DaemonProcess {
    const daemon = DaemonProcess.prepared()
    onTestFinished(() => daemon.dispose())
    rmSync(join(daemon.home, name), { force: true })
    mkdirSync(join(daemon.home, name))
    return daemon
  }

  const files = ['svc.db', 'sandbox.db', 'sandbox.db-shm', 'config.env', 'daemon.lock']
  it.each(casesFor(files, (name) => name === 'svc.db' || name === 'config.env'))(
    'names the folder %s and says that it must be a file',
    async (name) => {
      const daemon = home(name)
      const output = await failedStart(daemon)
      expect(output).toContain(`error: ${join(daemon.home, name)} is a folder, but it must be a file.`)
    },
  )

  it('sets logs.db aside, because trading needs no logs', async () => {
    const daemon = home('logs.db-wal')
    await daemon.start()
    expect((await daemon.place()).status).toBe(200)
    expect(daemon.output).toContain('logs.db-wal is a folder, but it must be a file')
  })
})

describe.skipIf(noMounts)('a start', () => {
  it('in a home on a full disk reports it, and succeeds once there is space', async () => {
    const { disk, home, daemon } = prepared()
    fill(join(disk, 'filler'))
    const output = await failedStart(daemon)
    expect(output).toMatch(FULL)
    expect(output).toContain(home)
    expect(output).not.toMatch(/^\s+at /m)
    rmSync(join(disk, 'filler'))
    await daemon.start()
    expect((await daemon.place()).status).toBe(200)
  })

  it('in a new home on a full disk reports it', async () => {
    const disk = smallDisk()
    fill(join(disk, 'filler'))
    expect(await failedStart(new DaemonProcess({ home: join(disk, 'home') }))).toMatch(FULL)
  })

  it('in a home on a read-only disk reports it', async () => {
    const { disk, home, daemon } = prepared()
    remount(disk, 'ro')
    const output = await failedStart(daemon)
    expect(output).toMatch(READ_ONLY)
    expect(output).toContain(home)
    expect(output).not.toMatch(/^\s+at /m)
  })

  it('in a new home on a read-only disk reports it', async () => {
    const disk = smallDisk()
    remount(disk, 'ro')
    expect(await failedStart(new DaemonProcess({ home: join(disk, 'home') }))).toMatch(
      /error: The home \S+ cannot be created: EROFS: read-only file system.*Choose another: --home, or SVC_HOME\./,
    )
  })
})

describe.skipIf(noMounts)('svc doctor', () => {
  const writable = async (home: string) => {
    const terminal = new Terminal({ home })
    const { stdout } = await terminal.svc('doctor --json')
    const checks: { check: string; status: string; detail: string }[] = JSON.parse(stdout)
    return checks.find(({ check }) => check === 'writable')
  }

  it('fails for a home that not even root can write, and leaves no file in a writable home', async () => {
    const { disk, home } = prepared()
    expect(await writable(home)).toMatchObject({ status: 'ok', detail: `${home} is writable` })
    remount(disk, 'ro')
    expect(await writable(home)).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/is not writable: EROFS/),
    })
    remount(disk, 'rw')
    fill(join(disk, 'filler'))
    expect(await writable(home)).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/is not writable: ENOSPC/),
    })
  })
})
