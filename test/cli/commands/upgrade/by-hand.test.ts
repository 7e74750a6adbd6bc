import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../../../scripts/docs/documents.js'
import { BY_HAND, type ByHand, inShell, svcAt } from '../../../../src/cli/commands/upgrade/by-hand.js'

const [ASHA, ROOT_USER, SERVICE] = [1000, 0, 998]
const HOME = '/home/asha/.local/share/svc'
const OWN = '/home/asha/.npm-global/lib/node_modules/svc-desk'
const OF_SYSTEM = '/opt/svc/lib/node_modules/svc-desk'

const facts = (given: Partial<ByHand> = {}): ByHand => ({
  svc: svcAt({ settings: { home: HOME, daemon: undefined } }),
  ...{ home: HOME, version: '0.2.0', folder: OWN, uid: ASHA },
  owners: { home: ASHA, package: ASHA },
  ...{ daemon: undefined, unit: undefined },
  ...given,
})
const desk = { home: '/desk', svc: svcAt({ settings: { home: '/desk', daemon: { context: 'local' } } }) }
const daemon = { port: 5001, ws_port: 8766 }
const unit = { name: 'svc@asha.service', isOfUser: false }

describe('the commands of an upgrade by hand', () => {
  it('stop and start a daemon of svc up in its home at its ports, and let root install in the prefix of root', () => {
    const owners = { home: ASHA, package: ROOT_USER }
    expect(BY_HAND.package(facts({ ...desk, folder: OF_SYSTEM, owners, daemon }))).toEqual([
      'svc down --home /desk',
      'cp -a /desk ~/svc-$(date +%F)',
      'sudo npm install --global --prefix /opt/svc svc-desk@0.2.0',
      'svc up --detach --port 5001 --ws-port 8766 --home /desk && svc doctor --home /desk',
    ])
  })

  it('stop and start the unit, also around an installation of the user', () => {
    expect(BY_HAND.stopped(facts({ daemon, unit }))).toEqual([
      'sudo systemctl stop svc@asha.service',
      'svc upgrade',
      'sudo systemctl start svc@asha.service',
    ])
    expect(BY_HAND.stopped(facts({ unit: { name: 'svc.service', isOfUser: true } }))).toEqual([
      'systemctl --user stop svc.service',
      'svc upgrade',
      'systemctl --user start svc.service',
    ])
  })

  it('leave a package to its owner, although root runs them', () => {
    const owners = { home: ASHA, package: ASHA }
    expect(BY_HAND.package(facts({ ...desk, uid: ROOT_USER, owners, unit }))).toEqual([
      'sudo systemctl stop svc@asha.service',
      'sudo cp -a /desk /var/backups/desk-$(date +%F)',
      "sudo -H -u '#1000' npm install --global --prefix /home/asha/.npm-global svc-desk@0.2.0",
      'sudo systemctl start svc@asha.service',
    ])
    expect(BY_HAND.stopped(facts({ ...desk, uid: ROOT_USER, owners }))[0]).toBe(
      "sudo -H -u '#1000' svc down --home /desk",
    )
  })

  it.each([
    ['/home/asha/.local/share/pnpm/global/5/.pnpm/svc-desk@0.1.0/node_modules/svc-desk', 'pnpm add --global'],
    ['/home/asha/.config/yarn/global/node_modules/svc-desk', 'yarn global add'],
    ['/srv/tools/node_modules/svc-desk', 'npm install --global'],
  ])('install %s with the program that has installed it', (folder, command) => {
    expect(BY_HAND.package(facts({ folder }))).toContain(`${command} svc-desk@0.2.0`)
  })

  it('have words that a shell reads as one', () => {
    const home = "/home/asha/Asha's desk"
    const svc = svcAt({ settings: { home, daemon: { context: 'local' } } })
    const [, copy] = BY_HAND.package(facts({ home, svc }))
    expect(copy).toBe("cp -a '/home/asha/Asha'\\''s desk' ~/svc-$(date +%F)")
    expect(svc('down')).toBe(`svc down --home ${inShell(home)}`)
  })

  it('are those of the page about deployment', () => {
    const page = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8')
      .replaceAll('./svc-desk-0.2.0.tgz', 'svc-desk@0.2.0')
      .replaceAll(/"\$\{SVC_HOME[^"]*"/g, HOME)
    const ofService = {
      home: '/var/lib/svc',
      folder: OF_SYSTEM,
      owners: { home: SERVICE, package: ROOT_USER },
    }
    const commands = [
      ...Object.values(BY_HAND).flatMap((of) => of(facts({ folder: '/srv/svc-desk' }))),
      ...BY_HAND.package(facts({ ...ofService, unit: { name: 'svc', isOfUser: false } })),
      ...BY_HAND.stopped(facts({ unit: { name: 'svc.service', isOfUser: true } })),
      ...BY_HAND.stopped(facts({ unit: { name: 'svc.service', isOfUser: false } })),
      ...BY_HAND.package(
        facts({ folder: '/usr/local/lib/node_modules/svc-desk', owners: { home: ASHA, package: ROOT_USER } }),
      ),
    ]
    for (const command of commands) expect(page).toContain(command)
  })
})
