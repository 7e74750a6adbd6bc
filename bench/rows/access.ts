import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Identity } from '../../src/core/identity/index.js'
import { silentLogger } from '../../src/core/logging/index.js'
import { loadIdentity, loadSecrets, loadSecurity, loadStorage, loadTime } from '../compiled.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'

const BANS = 100_000
const BAN_CHECK_US = 1
const USER = { username: 'asha', email: 'asha@example.org', password: 'Passw0rd!' }

/** The checks that every request pays: the ban of its address, and its session or key. */
export const access: Benchmark = {
  name: 'access',
  summary: `ban check with ${BANS.toLocaleString('en-US')} bans, session check, key check`,
  async run(run) {
    return [...(await banChecks(run)), ...(await credentialChecks(run))]
  },
}

/** A look-up beside the same look-up in a bare map, for addresses that are banned and others in turn. */
async function banChecks(run: Run): Promise<Row[]> {
  const [{ BanList }, { SystemClock }] = await Promise.all([loadSecurity(), loadTime()])
  const ipv4 = (n: number) => `${20 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.7`
  const ipv6 = (n: number) => `2001:db8:${n.toString(16)}:1::7`
  const ban = (address: string) =>
    ({ address, reason: '', count: 1, bannedAt: 0, expiresAt: null, source: 'manual' }) as const
  const addresses = Array.from({ length: BANS }, (_, n) => ipv4(n))
  const list = new BanList(addresses.map(ban), new SystemClock())
  const bare = new Map(addresses.map((address) => [address, true]))
  const asked = Array.from({ length: 1024 }, (_, n) => ipv4((n * 7919) % (2 * BANS)))
  const sixes = Array.from({ length: 1024 }, (_, n) => ipv6(n))
  const goal = { of: 'value', atMost: BAN_CHECK_US } as const
  const floor = perCall(run, asked, (address) => bare.get(address))
  return [
    {
      name: `ban check, ${BANS.toLocaleString('en-US')} bans, IPv4`,
      value: perCall(run, asked, (address) => list.isBanned(address)),
      floor,
      unit: 'µs',
      goal,
    },
    {
      name: `ban check, ${BANS.toLocaleString('en-US')} bans, IPv6`,
      value: perCall(run, sixes, (address) => list.isBanned(address)),
      floor,
      unit: 'µs',
      goal,
    },
  ]
}

/** A session and a known key beside the digest that both need. An unknown key costs a password hash. */
async function credentialChecks(run: Run): Promise<Row[]> {
  const { identity, close } = await openIdentity(run)
  try {
    const { apiKey } = await identity.users.setup(USER)
    const { token } = await identity.sessions.create(USER.username, {})
    await identity.apiKeys.verify(apiKey)
    const floor = perCall(run, [token], (text) => createHash('sha256').update(text).digest('hex'))
    const unknown = Array.from({ length: run.pick(15, 5) }, (_, n) => n.toString(16).padStart(64, 'a'))
    const hashes: number[] = []
    for (const key of unknown) {
      const startedAt = performance.now()
      await identity.apiKeys.verify(key)
      hashes.push((performance.now() - startedAt) * 1000)
    }
    return [
      {
        name: 'session check',
        value: perCall(run, [token], (text) => identity.sessions.verify(text)),
        floor,
        unit: 'µs',
      },
      {
        name: 'key check, cached',
        value: perCall(run, [apiKey], (text) => identity.apiKeys.cached(text)),
        floor,
        unit: 'µs',
      },
      { name: 'key check, not cached', value: median(hashes), unit: 'µs' },
    ]
  } finally {
    await close()
  }
}

async function openIdentity(run: Run): Promise<{ identity: Identity; close: () => Promise<void> }> {
  const [{ Identity }, { SecretBox }, { Database }, { SystemClock }] = await Promise.all([
    loadIdentity(),
    loadSecrets(),
    loadStorage(),
    loadTime(),
  ])
  const db = await Database.open({ file: join(run.folder(), 'svc.db'), schema: 'svc' })
  const identity = await Identity.open({
    db,
    clock: new SystemClock(),
    config: {
      pepper: 'p'.repeat(32),
      sessionExpiryTime: '03:00',
      disableSessionExpiry: false,
      reauthMinutes: 15,
    },
    secretBox: await SecretBox.derive({ appKey: 'a'.repeat(32), salt: 'b'.repeat(32) }),
    log: silentLogger,
  })
  const close = async () => {
    await identity.close()
    await db.close()
  }
  return { identity, close }
}

/** Returns the microseconds of a call: the median of the rounds. */
function perCall(run: Run, inputs: readonly string[], check: (input: string) => unknown): number {
  const calls = run.pick(1_000_000, 100_000, 20_000)
  const rounds: number[] = []
  for (let round = 0; round <= run.rounds(9, 3); round++) {
    const startedAt = performance.now()
    for (let call = 0; call < calls; call++) check(inputs[call % inputs.length] ?? '')
    // The first round warms up.
    if (round > 0) rounds.push(((performance.now() - startedAt) * 1000) / calls)
  }
  return median(rounds)
}
