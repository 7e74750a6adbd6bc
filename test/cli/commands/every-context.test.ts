import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type StoredSecret, storeSecret } from '../../../src/cli/io/home.js'
import { LightDaemon, send } from '../../support/daemons/light-daemon.js'
import { CliDesk } from '../../support/desk/cli-desk.js'
import { eventually } from '../../support/eventually.js'
import { recordFaults } from '../../support/files/record-faults.js'
import { tempDir } from '../../support/files/temp.js'

const DAEMONS = 20
const HANGING = 7
const ANSWERED_WITHIN_TURNS = 100
/** What the status of a daemon is made of. */
const ASKED = ['/status', '/pnltracker/api/pnl']

let desk: CliDesk
let config = ''

beforeEach(async () => {
  desk = await CliDesk.open()
  config = tempDir()
})

/** The answers of a daemon that trades, as far as the commands read them. */
function routesOf(at: number) {
  return {
    'GET /status': {
      status: 'success',
      data: {
        ...{ mode: 'analyze', order_mode: 'auto', broker: 'simulated', ready_for_orders: true },
        ...{ kill_switch: false, pending_approvals: at, broker_session: { state: 'signed_in' } },
      },
    },
    'POST /pnltracker/api/pnl': { status: 'success', data: { current_mtm: at * 100 } },
    'POST /risk/kill-switch': {
      status: 'success',
      message: 'on',
      data: { kill_switch: { on: true, stored: true } },
      reserved_runs: [],
    },
  }
}

const nameOf = (at: number) => `desk-${String(at).padStart(2, '0')}`

/** Opens daemons, each in a context with a token. The one that hangs proves its id, and answers nothing else. */
async function opened(count: number, hanging: number): Promise<LightDaemon[]> {
  const daemons = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      LightDaemon.open({ routes: routesOf(at), hangs: at === hanging }),
    ),
  )
  const contexts = Object.fromEntries(daemons.map(({ id, url }, at) => [nameOf(at), { url, id }]))
  writeFileSync(join(config, 'contexts.json'), JSON.stringify({ version: 1, current: 'local', contexts }), {
    mode: 0o600,
  })
  daemons.forEach(({ id, url }, at) => {
    keep(nameOf(at), { value: `token-${at}`, username: 'asha', url, id, expiresAt: undefined })
  })
  return daemons
}

function keep(name: string, secret: StoredSecret): void {
  storeSecret(join(config, 'contexts', name), 'token.json', { ...secret, context: name })
}

const env = () => ({ SVC_URL: '', SVC_HOME: tempDir(), SVC_CONFIG_DIR: config })
const svc = (line: string) => desk.svc(line, { env: env() })

/**
 * Runs a command whose time limits end when every daemon has seen its requests: those that answer did so at once. A limit of the
 * real clock would also end for them on a machine that is busy.
 */
async function svcUntilSeen(line: string, daemons: readonly LightDaemon[], wanted: readonly string[]) {
  const limits: { ends: AbortController; ms: number }[] = []
  const deadline = (ms: number) => {
    const ends = new AbortController()
    limits.push({ ends, ms })
    return ends.signal
  }
  const running = desk.svc(line, { env: env(), deadline })
  const hasSeen = ({ seen }: LightDaemon) => wanted.every((path) => seen.some((one) => one.path === path))
  await eventually(() => daemons.every(hasSeen), 'every daemon has seen its requests')
  // Their answers are on the way within this process.
  for (let turn = 0; turn < ANSWERED_WITHIN_TURNS; turn += 1) await new Promise((next) => setImmediate(next))
  for (const { ends } of limits) ends.abort(new DOMException('The limit is over', 'TimeoutError'))
  return { ...(await running), limits: [...new Set(limits.map(({ ms }) => ms))] }
}

/** Returns the tokens that came to a daemon. */
const tokens = ({ seen }: LightDaemon) => [
  ...new Set(seen.flatMap(({ authorization }) => authorization ?? [])),
]

describe('svc context status', () => {
  it('shows twenty daemons at once, and names the one that hangs', async () => {
    const daemons = await opened(DAEMONS, HANGING)
    const { exit, limits, stderr, stdout } = await svcUntilSeen('context status --json', daemons, ASKED)
    expect(limits).toEqual([1400])
    const rows = JSON.parse(stdout)
    expect(rows).toHaveLength(DAEMONS)
    expect(rows[3]).toMatchObject({
      context: nameOf(3),
      state: 'ready',
      pnl: 300,
      pending_approvals: 3,
      mode: 'analyze',
    })
    expect(recordFaults('context-status', rows)).toEqual([])
    expect(rows[HANGING]).toMatchObject({ context: nameOf(HANGING), state: 'timeout', mode: null, pnl: null })
    expect(exit).toBe(1)
    expect(stderr).toContain(`${nameOf(HANGING)}: No answer from ${daemons[HANGING]?.url} within 1.4 s`)
    expect(stderr).toContain(`1 of 20 contexts failed: ${nameOf(HANGING)}.`)
    // Each daemon got its own credential alone.
    expect(daemons.map(tokens)).toEqual(daemons.map((_, at) => [`Bearer token-${at}`]))
  })

  it('ends with the most severe failure: away, hanging, without a credential, another daemon', async () => {
    const daemons = await opened(5, 1)
    await daemons[2]?.close()
    keep(nameOf(3), {
      value: 'x',
      username: 'asha',
      url: 'http://127.0.0.1:1',
      id: undefined,
      expiresAt: undefined,
    })
    const port = Number(new URL(daemons[4]?.url ?? '').port)
    await daemons[4]?.close()
    const other = await LightDaemon.open({ port })
    const there = [daemons[0], daemons[1]].flatMap((one) => one ?? [])
    const { exit, stdout } = await svcUntilSeen('context status --json', there, ASKED)
    const states = JSON.parse(stdout).map(({ state }: { state: string }) => state)
    expect([exit, states]).toEqual([
      7,
      ['ready', 'timeout', 'no_daemon', 'unauthenticated', 'another_daemon'],
    ])
    expect(other.withCredential).toEqual([])
  })

  it('a daemon that is not ready for orders is a failure, too', async () => {
    const [daemon] = await opened(1, -1)
    const { data } = routesOf(0)['GET /status']
    daemon?.answerWith('GET /status', { status: 'success', data: { ...data, ready_for_orders: false } })
    const { exit, stdout, stderr } = await svc('context status')
    expect([exit, stdout, stderr]).toEqual([
      1,
      expect.stringContaining('not_ready'),
      expect.stringContaining(`See: svc status --context ${nameOf(0)}`),
    ])
  })

  it('the daemon of this machine gets the token of the environment, no other does', async () => {
    const others = await opened(2, -1)
    const own = await LightDaemon.open({ routes: routesOf(9) })
    const home = tempDir()
    writeFileSync(join(home, 'svc.db'), '')
    writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid: 1, url: own.url, id: own.id }))
    const env = { SVC_URL: '', SVC_HOME: home, SVC_CONFIG_DIR: config, SVC_TOKEN: 'of-the-environment' }
    expect(await desk.svc('context status', { env })).toMatchObject({ exit: 0, stderr: '' })
    expect(tokens(own)).toEqual(['Bearer of-the-environment'])
    expect(others.map(tokens)).toEqual([['Bearer token-0'], ['Bearer token-1']])
  })

  it('all of them well is 0', async () => {
    await opened(3, -1)
    expect(await svc('context status')).toMatchObject({ exit: 0, stderr: '' })
  })
})

describe('svc risk kill --all-contexts', () => {
  it('reaches each daemon, whatever the others do, and says which one is in doubt', async () => {
    const daemons = await opened(5, 2)
    await daemons[0]?.close()
    const line = 'risk kill --all-contexts --reason "bad feed" --json'
    const { exit, stderr, stdout } = await svcUntilSeen(line, daemons.slice(1), ['/risk/kill-switch'])
    const rows = JSON.parse(stdout)
    expect(rows.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'no_daemon',
      'on',
      'outcome_unknown',
      'on',
      'on',
    ])
    // The one that took the request and said nothing is the most severe.
    expect(exit).toBe(8)
    expect(stderr).toContain(`Check: svc risk show --context ${nameOf(2)}`)
    for (const daemon of [1, 2, 3, 4].flatMap((at) => daemons[at] ?? [])) {
      const sent = daemon.seen.filter(({ path }) => path === '/risk/kill-switch')
      expect(sent.map(({ body }) => JSON.parse(body))).toEqual([{ on: true, reason: 'bad feed' }])
    }
  })

  it('a daemon that refuses stops no other', async () => {
    const daemons = await opened(3, -1)
    daemons[1]?.answerAll((_, response) => send(response, 403, { status: 'error', message: 'No scope.' }))
    const { exit, stdout } = await svc('risk kill --all-contexts --json')
    const outcomes = JSON.parse(stdout).map(({ kill_switch }: { kill_switch: boolean }) => kill_switch)
    expect([exit, outcomes]).toEqual([3, [true, null, true]])
  })
})
