import { onTestFinished } from 'vitest'
import { silentLogger } from '../../../src/core/logging/index.js'
import { AddressSet, type BanRules, IpSecurity } from '../../../src/core/security/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { tempDir } from '../../support/files/temp.js'

export const HOUR_MS = 3_600_000

const RULES: BanRules = {
  securityAutoBanEnabled: true,
  security404Threshold: 3,
  security404BanDuration: 1,
  securityApiThreshold: 2,
  securityApiBanDuration: 0,
  securityRepeatOffenderLimit: 3,
}

const NOBODY = new AddressSet([])

/** IP security on real files, with a clock of its own. */
export class SecurityRig {
  rules: BanRules = RULES
  private constructor(
    private readonly folder: string,
    readonly clock: VirtualClock,
    public security: IpSecurity,
    public databases: { svc: Database; logs: Database },
  ) {}

  static async open(rules: Partial<BanRules> = {}): Promise<SecurityRig> {
    const folder = tempDir()
    const clock = new VirtualClock(Date.parse('2026-11-20T04:00:00Z'))
    const databases = await openDatabases(folder)
    const rig: SecurityRig = new SecurityRig(
      folder,
      clock,
      await openSecurity(databases, clock, () => rig.rules),
      databases,
    )
    rig.rules = { ...RULES, ...rules }
    onTestFinished(() => rig.close())
    return rig
  }

  /** Opens everything again. @param cleanly false ends it as a kill does: without a last flush */
  async restart(cleanly = true, owners: AddressSet = NOBODY): Promise<void> {
    if (cleanly) await this.security.close()
    await closeDatabases(this.databases)
    this.databases = await openDatabases(this.folder)
    this.security = await openSecurity(this.databases, this.clock, () => this.rules, owners)
  }

  /** Requests paths that do not exist. */
  scan(address: string, requests: number): void {
    for (let n = 0; n < requests; n++) this.security.addMissingPath(address, `/path-${n}`)
  }

  /** Tries invalid keys. */
  guess(address: string, keys: number): void {
    for (let n = 0; n < keys; n++) this.security.addInvalidKey(address, `${n}`.padEnd(64, 'a'))
  }

  async close(): Promise<void> {
    await this.security.close()
    await closeDatabases(this.databases)
  }
}

async function openDatabases(folder: string): Promise<{ svc: Database; logs: Database }> {
  const open = (schema: 'svc' | 'logs') => Database.open({ file: `${folder}/${schema}.db`, schema })
  return { svc: await open('svc'), logs: await open('logs') }
}

function openSecurity(
  databases: { svc: Database; logs: Database },
  clock: VirtualClock,
  rules: () => BanRules,
  owners = NOBODY,
): Promise<IpSecurity> {
  return IpSecurity.open({ ...databases, clock, log: silentLogger, rules, owners })
}

async function closeDatabases({ svc, logs }: { svc: Database; logs: Database }): Promise<void> {
  await Promise.all([svc.close(), logs.close()])
}
