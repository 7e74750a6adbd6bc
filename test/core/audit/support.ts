import { onTestFinished } from 'vitest'
import { AuditTrail } from '../../../src/core/audit/index.js'
import type { Actor } from '../../../src/core/audit/schema.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { boxFor } from '../../support/desk/secret-boxes.js'
import { tempFile } from '../../support/files/temp.js'

export const START = Date.parse('2026-11-20T04:00:00Z')
export const DAY_MS = 86_400_000

export const ASHA: Actor = {
  name: 'asha',
  credential: 'session',
  credentialId: 'f00d',
  address: '203.0.113.7',
}

/** A trail in its file, which a test may open again, and edit as somebody with the file would. */
export class TrailDesk {
  readonly clock = new VirtualClock(START)

  private constructor(
    readonly file: string,
    public db: Database,
    public trail: AuditTrail,
  ) {}

  static async open(acts = 0, file = tempFile('svc.db')): Promise<TrailDesk> {
    const db = await Database.open({ file, schema: 'svc' })
    const desk = new TrailDesk(file, db, await openTrail(db, new VirtualClock(START)))
    onTestFinished(() => desk.db.close())
    desk.trail = await openTrail(db, desk.clock)
    for (let one = 1; one <= acts; one++) await desk.act(one)
    return desk
  }

  /** Adds an act, one second after the one before. */
  async act(one: number): Promise<void> {
    await this.clock.advance(1000)
    await this.trail.append(
      { act: 'risk.set', actor: ASHA, target: `rule ${one}`, requestId: `r-${one}` },
      { before: { max_order_value: one }, after: { max_order_value: one + 1 } },
    )
  }

  /** Opens the trail as the next start does. */
  async reopen(): Promise<void> {
    await this.trail.flush()
    this.trail = await openTrail(this.db, this.clock)
  }

  /** Changes the file without the service. */
  async edit(sql: string, params: readonly (string | number | null)[] = []): Promise<void> {
    await this.db.write((tx) => tx.exec(sql, params))
  }

  /** Returns the kind of the damage and the first bad row; `sound` without damage. */
  async found(head?: string): Promise<string> {
    const { problem } = await this.trail.verify(head)
    return problem ? `${problem.kind} ${problem.seq}` : 'sound'
  }
}

export async function openTrail(db: Database, clock: VirtualClock): Promise<AuditTrail> {
  return AuditTrail.open({ db, clock, log: silentLogger, secretBox: await boxFor() })
}
