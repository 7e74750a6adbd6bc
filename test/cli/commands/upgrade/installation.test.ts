import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../../../scripts/docs/documents.js'
import { BY_HAND, ownInstallation } from '../../../../src/cli/commands/upgrade/installation.js'
import { PACKAGE_NAME } from '../../../../src/cli/package.js'
import { tempDir } from '../../../support/files/temp.js'

/** Makes the files of a package, and the link that npm makes to its command. */
function installed(): { prefix: string; folder: string } {
  const prefix = tempDir()
  const folder = packageAt(join(prefix, 'lib/node_modules/svc-desk'))
  mkdirSync(join(prefix, 'bin'))
  symlinkSync('../lib/node_modules/svc-desk/bin/svc', join(prefix, 'bin/svc'))
  return { prefix, folder }
}

function packageAt(folder: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin/svc'), '')
  return folder
}

const at = (root: string, { env = {}, uid = 1000 } = {}) =>
  ownInstallation({ io: { env }, home: tempDir(), version: '0.2.0', root: `${root}/`, uid })

it('the name of the package is that of its manifest', () => {
  expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).name).toBe(PACKAGE_NAME)
})

describe('an installation that replaces itself', () => {
  it('is a global one of npm, in any prefix', () => {
    const { folder, prefix } = installed()
    const modules = join(prefix, 'lib/node_modules')
    expect(at(folder)).toEqual({
      folder,
      bin: join(prefix, 'bin/svc'),
      stage: join(modules, '.svc-desk-upgrade'),
      lock: join(modules, '.svc-desk-upgrade.lock'),
    })
  })

  it('is the same one for a version that an upgrade has set aside or staged', () => {
    const { folder, prefix } = installed()
    const stage = join(prefix, 'lib/node_modules/.svc-desk-upgrade')
    for (const part of ['former', 'next/lib/node_modules/svc-desk'])
      expect(at(packageAt(join(stage, part)))).toMatchObject({ folder })
  })
})

describe('any other one is refused with the commands to type', () => {
  const refusal = (code: string) =>
    expect.objectContaining({ exit: 5, message: expect.stringContaining(code) })

  it('a checkout', () => {
    const root = packageAt(join(tempDir(), 'svc'))
    mkdirSync(join(root, 'src'))
    expect(() => at(root)).toThrow(refusal('git pull && npm ci'))
  })

  it('a container', () => {
    const root = packageAt(join(tempDir(), 'opt/svc'))
    expect(() => at(root, { env: { container: 'oci' } })).toThrow(refusal('podman stop svc'))
  })

  it('one of root, or by root', () => {
    const { folder } = installed()
    expect(() => at(folder, { uid: 0 })).toThrow(refusal('sudo systemctl stop svc'))
  })

  it.skipIf(process.getuid?.() === 0)('one that this user may not write', () => {
    const { folder, prefix } = installed()
    chmodSync(join(prefix, 'bin'), 0o555)
    expect(() => at(folder)).toThrow(refusal('may not write'))
    chmodSync(join(prefix, 'bin'), 0o755)
  })
})

it('the commands are those of the page about deployment', () => {
  const page = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8')
  const facts = { version: '0.2.0', unit: 'svc', folder: '/opt/svc/lib/node_modules/svc-desk' }
  const home = /^cp -a (\S+)/m.exec(page)?.[1] ?? ''
  const homes = { package: home, systemd: '/var/lib/svc', container: '', checkout: '' }
  for (const way of ['package', 'systemd', 'container', 'checkout'] as const) {
    for (const command of BY_HAND[way]({ ...facts, home: homes[way] })) expect(page).toContain(command)
  }
})
