import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../../../scripts/docs/documents.js'
import { ownInstallation } from '../../../../src/cli/commands/upgrade/installation.js'
import { PACKAGE_NAME } from '../../../../src/cli/package.js'
import { tempDir } from '../../../support/files/temp.js'

/** Makes the files of a package, and the link that npm makes to its command. */
function installed(): { prefix: string; folder: string } {
  const prefix = tempDir()
  const folder = packageAt(join(prefix, 'lib/node_modules/svc-desk'))
  mkdirSync(join(prefix, 'bin'))
  symlinkSync('../lib/node_modules/svc-desk/bin/svc', join(prefix, 'bin/svc'))
  owned(prefix)
  return { prefix, folder }
}

function packageAt(folder: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin/svc'), '')
  return folder
}

/** Root is refused, so the files of its tests belong to another user. */
const IS_ROOT = process.getuid?.() === 0
const USER = IS_ROOT ? 1000 : process.getuid?.()

function owned(path: string): string {
  if (IS_ROOT) execFileSync('chown', ['-hR', String(USER), path])
  return path
}

const at = (root: string, { containerFiles = ['/nowhere'], env = {}, uid = USER } = {}) =>
  ownInstallation({
    ...{ io: { env }, settings: { home: owned(tempDir()), daemon: undefined } },
    ...{ version: '0.2.0', root: `${root}/`, uid, containerFiles },
  })

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

  it('is the same one while an upgrade that was cut off has nothing in its place', () => {
    const { folder, prefix } = installed()
    const former = join(prefix, 'lib/node_modules/.svc-desk-upgrade/former')
    mkdirSync(dirname(former))
    renameSync(folder, former)
    rmSync(join(prefix, 'bin/svc'))
    symlinkSync('../lib/node_modules/.svc-desk-upgrade/former/bin/svc', join(prefix, 'bin/svc'))
    expect(at(former)).toMatchObject({ folder })
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

  it('a global installation in a container, before anything else is looked at', () => {
    const { folder, prefix } = installed()
    const containerFiles = [join(prefix, 'bin')]
    expect(() => at(folder, { containerFiles, uid: 0 })).toThrow(refusal('podman stop svc'))
  })

  it('one of which a part belongs to somebody else, also where this user may write', () => {
    const { folder } = installed()
    expect(() => at(folder, { uid: 4242 })).toThrow(refusal('does not belong to this user'))
  })

  it('one of root, or by root', () => {
    const { folder } = installed()
    expect(() => at(folder, { uid: 0 })).toThrow(refusal('sudo systemctl stop svc'))
  })

  it('one that others may change', () => {
    const { folder, prefix } = installed()
    const [bin, modules] = [join(prefix, 'bin'), join(prefix, 'lib/node_modules')]
    const close = (parts: string[], hint: string) => {
      for (const part of parts) chmodSync(part, 0o775)
      expect(() => at(folder)).toThrow(expect.objectContaining({ exit: 5, hint: `Close it first: ${hint}` }))
      for (const part of parts) chmodSync(part, 0o755)
    }
    close([folder], `chmod -R go-w ${folder}`)
    close([bin], `chmod go-w ${bin}`)
    close([modules, bin, folder], `chmod -R go-w ${folder} && chmod go-w ${modules} ${bin}`)
    expect(at(folder)).toMatchObject({ folder })
  })

  it.skipIf(process.getuid?.() === 0)('one that this user may not write', () => {
    const { folder, prefix } = installed()
    const bin = join(prefix, 'bin')
    chmodSync(bin, 0o555)
    expect(() => at(folder)).toThrow(
      expect.objectContaining({ exit: 5, hint: `Open it first: chmod u+w ${bin}` }),
    )
    chmodSync(bin, 0o755)
  })
})
