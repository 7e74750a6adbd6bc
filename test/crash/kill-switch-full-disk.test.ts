import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signedIn } from '../support/desk/command-desk.js'
import { eventually } from '../support/eventually.js'
import { fill, mountSmallDisk, noMounts, unmount } from '../support/files/small-disk.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/* The kill switch turns on at once on a full disk, reports that it is not stored, and is stored later. */

interface Risk {
  data: { kill_switch: { on: boolean; reason: string; stored: boolean } }
}

/** A text that does not fit into the free pages of svc.db's log. */
const LONG = 'too fast '.repeat(50).trim()

async function onFullDisk() {
  const disk = mountSmallDisk()
  onTestFinished(() => unmount(disk))
  const home = join(disk, 'home')
  mkdirSync(home, { mode: 0o700 })
  const daemon = DaemonProcess.prepared({}, home)
  onTestFinished(() => daemon.dispose())
  await daemon.start()
  await daemon.analyze(true)
  const terminal = signedIn(daemon, daemon.url)
  const filler = join(disk, 'filler')
  fill(filler)
  await eventually(async () => (await daemon.place()).status === 507, 'orders notice the full disk')
  const seen = async () => (await daemon.request<Risk>('GET', '/risk')).body.data.kill_switch
  return {
    daemon,
    terminal,
    seen,
    free: () => rmSync(filler),
    stored: () => eventually(async () => (await seen()).stored, 'the kill switch is stored'),
  }
}

describe.skipIf(noMounts)('on a full disk', () => {
  it('the kill switch turns on over HTTP, is stored when there is space, and then survives a kill', async () => {
    const { daemon, seen, free, stored } = await onFullDisk()
    const { status, body } = await daemon.request<Risk>('POST', '/risk/kill-switch', {
      on: true,
      reason: LONG,
    })
    expect(status).toBe(200)
    expect(body.message).toMatch(/^Kill switch on: no new order is sent\. .*It is not stored yet/)
    expect(body.data.kill_switch).toMatchObject({ on: true, reason: LONG, stored: false })
    expect((await daemon.place()).code).toBe('kill_switch')

    // Switching off promises that orders are sent again: it is refused, and the switch stays on.
    const off = await daemon.request('POST', '/risk/kill-switch', { on: false, confirm: 'RESUME' })
    expect([off.status, off.code]).toEqual([507, 'storage_full'])
    expect(await seen()).toMatchObject({ on: true, stored: false })

    free()
    await stored()
    await daemon.crash()
    expect(await seen()).toMatchObject({ on: true, reason: LONG, stored: true })
    expect((await daemon.place()).code).toBe('kill_switch')
  })

  it('svc risk kill and svc risk show warn until the kill switch is stored', async () => {
    const { daemon, terminal, free, stored } = await onFullDisk()
    const killed = await terminal.svc(['risk', 'kill', '--reason', LONG])
    expect(killed.exit).toBe(0)
    expect(killed.stderr).toMatch(/warning: .*It is not stored yet, because the disk is full or failing/)
    expect((await terminal.svc('risk show')).stdout).toContain('ON (not stored)')
    expect((await daemon.place()).code).toBe('kill_switch')

    free()
    await stored()
    const shown = (await terminal.svc('risk show')).stdout
    expect(shown).toContain('ON: too fast')
    expect(shown).not.toContain('not stored')
    await daemon.crash()
    expect((await daemon.place()).code).toBe('kill_switch')
  })
})
