import { readFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../../../src/core/logging/index.js'
import { SecretBox } from '../../../src/core/secrets/index.js'
import { Settings } from '../../../src/core/settings/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { tempFile } from '../../support/files/temp.js'

const secretBox = await SecretBox.derive({ appKey: 'k'.repeat(64), salt: 's'.repeat(32) })

async function opened(file = tempFile('svc.db')) {
  const db = await Database.open({ file, schema: 'svc' })
  let open = true
  const close = async () => {
    if (open) await db.close()
    open = false
  }
  onTestFinished(close)
  return { settings: await Settings.open({ db, secretBox, log: silentLogger }), db, file, close }
}

describe('settings', () => {
  it('start with the documented defaults', async () => {
    const { settings } = await opened()
    expect(settings.get()).toEqual({
      analyzeMode: false,
      securityAutoBanEnabled: false,
      security404Threshold: 100,
      security404BanDuration: 0,
      securityApiThreshold: 100,
      securityApiBanDuration: 0,
      securityRepeatOffenderLimit: 2,
      smtpServer: null,
      smtpPort: null,
      smtpUsername: null,
      smtpPasswordSet: false,
      smtpUseTls: true,
      smtpFromEmail: null,
      smtpHeloHostname: null,
      mcpEnabled: false,
      mcpPublicUrl: '',
      mcpRequireApproval: true,
      mcpWriteScopeEnabled: true,
      mcpQueueWrites: true,
    })
  })

  it('keep a single row, no matter who opens it first', async () => {
    const { db } = await opened()
    await Promise.all([
      Settings.open({ db, secretBox, log: silentLogger }),
      Settings.open({ db, secretBox, log: silentLogger }),
    ])
    expect(await db.queryRaw('select id from settings')).toEqual([{ id: 1 }])
    await expect(db.write((tx) => tx.exec('insert into settings (id) values (2)'))).rejects.toThrow(/CHECK/)
  })

  it('switch the analyze mode, in memory and across a restart', async () => {
    const { settings, close, file } = await opened()
    expect((await settings.setAnalyzeMode(true)).analyzeMode).toBe(true)
    expect(settings.get().analyzeMode).toBe(true)
    await close()
    const { settings: later } = await opened(file)
    expect(later.get().analyzeMode).toBe(true)
  })

  it('notify their listeners with the new and old values, even if one of them fails', async () => {
    const { settings } = await opened()
    const seen: boolean[][] = []
    settings.onChange(() => {
      throw new Error('a listener of poor quality')
    })
    const off = settings.onChange((now, before) => seen.push([before.analyzeMode, now.analyzeMode]))
    await settings.setAnalyzeMode(true)
    off()
    await settings.setAnalyzeMode(false)
    expect(seen).toEqual([[false, true]])
  })

  it('end with the last of concurrent changes, in memory and in the row', async () => {
    const { settings, db } = await opened()
    await Promise.all(Array.from({ length: 21 }, (_, i) => settings.setAnalyzeMode(i % 2 === 0)))
    const [row] = await db.queryRaw('select analyze_mode from settings')
    expect(settings.get().analyzeMode).toBe(true)
    expect(row?.analyze_mode).toBe(1)
  })

  it('store the mail password encrypted, and delete it on request', async () => {
    const { settings, close, file, db } = await opened()
    await settings.update({ smtpServer: 'mail.example.com', smtpPort: 587, smtpPassword: 'mail-password-1' })
    expect(settings.get()).toMatchObject({
      smtpServer: 'mail.example.com',
      smtpPort: 587,
      smtpPasswordSet: true,
    })
    expect(JSON.stringify(settings.get())).not.toContain('mail-password-1')
    expect(settings.smtpPassword()).toBe('mail-password-1')
    await settings.update({ smtpUseTls: false })
    expect(settings.smtpPassword()).toBe('mail-password-1')
    const wal = await readFile(`${db.file}-wal`, 'latin1')
    await close()
    const bytes = wal + (await readFile(file, 'latin1'))
    expect(bytes).toContain('mail.example.com')
    expect(bytes).not.toContain('mail-password-1')
    const { settings: later } = await opened(file)
    expect(later.smtpPassword()).toBe('mail-password-1')
    await later.update({ smtpPassword: null })
    expect(later.smtpPassword()).toBeUndefined()
    expect(later.get().smtpPasswordSet).toBe(false)
  })

  it.each([
    ['security404Threshold', 1, 1000],
    ['security404BanDuration', 0, 8760],
    ['securityApiThreshold', 1, 100],
    ['securityApiBanDuration', 0, 8760],
    ['securityRepeatOffenderLimit', 1, 10],
    ['smtpPort', 1, 65_535],
  ])('limit %s to %i to %i', async (field, least, most) => {
    const { settings } = await opened()
    for (const value of [least, most]) {
      expect(await settings.update({ [field]: value })).toMatchObject({ [field]: value })
    }
    for (const value of [least - 1, most + 1]) {
      await expect(settings.update({ [field]: value })).rejects.toMatchObject({
        code: 'validation',
        errors: { [field]: [`Must be between ${least} and ${most}.`] },
      })
    }
    expect(settings.get()).toMatchObject({ [field]: most })
  })

  it('stay the same if nothing changes', async () => {
    const { settings } = await opened()
    const before = settings.get()
    expect(await settings.update({})).toBe(before)
    expect(await settings.update({ smtpServer: undefined })).toBe(before)
  })
})

describe('the key of the home', () => {
  it('is made once, and is the same after each start', async () => {
    const first = await opened()
    const { id } = first.settings.identity
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    await first.close()
    const again = await opened(first.file)
    expect(again.settings.identity.id).toBe(id)
    await again.settings.update({ analyzeMode: true })
    expect((await opened(first.file)).settings.identity.id).toBe(id)
    expect((await opened()).settings.identity.id).not.toBe(id)
  })

  it('is sealed in the file, and is no setting', async () => {
    const { settings, file } = await opened()
    const { d } = JSON.parse(settings.identity.secretText())
    expect((await readFile(file)).includes(d)).toBe(false)
    expect(JSON.stringify(settings.get())).not.toMatch(/identity|v1\./)
  })

  it('is replaced when the keys of the installation cannot open it', async () => {
    const { settings, db } = await opened()
    const other = await SecretBox.derive({ appKey: 'o'.repeat(64), salt: 's'.repeat(32) })
    const reopened = await Settings.open({ db, secretBox: other, log: silentLogger })
    expect(reopened.identity.id).not.toBe(settings.identity.id)
  })
})
