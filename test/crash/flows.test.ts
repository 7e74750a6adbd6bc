import { describe, expect, it, onTestFinished } from 'vitest'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import { chance, rounds } from '../support/chance/chance.js'
import {
  activateFlow,
  armedFlows,
  chain,
  createFlow,
  type FlowDocument,
  type FlowWebhook,
  fire,
  fireSigned,
  flowsOf,
  order,
  runsOf,
  simulatedTags,
  webhookFlow,
} from '../support/desk/flow-desk.js'
import { eventually, pause } from '../support/eventually.js'
import { damages } from '../support/files/files.js'
import { DaemonProcess, USERNAME } from '../support/process/daemon-process.js'
import { type Existing, executedTwice, lostOrPhantom } from '../support/traffic/checker.js'
import { History } from '../support/traffic/history.js'

/*
 * Workflows on the real process, which is killed. The sandbox's own book proves which orders a run has sent:
 * every order carries a tag that identifies its run. `npm test` has one kill of each kind.
 */
const INTERRUPTED = { status: 'failed', error: 'Interrupted by restart' }
const KILLED = { code: null, signal: 'SIGKILL' }

/**
 * Returns a desk in Analyzer mode; the test ends with a check of its files.
 * @param env the environment of its first start
 * @param settings the environment of every start
 */
async function desk(
  env: Record<string, string> = {},
  settings: Record<string, string> = {},
): Promise<DaemonProcess> {
  const daemon = DaemonProcess.prepared(settings)
  onTestFinished(async () => {
    await daemon.kill()
    const damaged = await damages(daemon.home)
    await daemon.dispose()
    expect(damaged).toEqual([])
  })
  await daemon.start({ env })
  await daemon.analyze(true)
  return daemon
}

const webhook = ['webhookTrigger'] as const
const daily = (name: string, time = '09:20') =>
  chain(name, ['start', { scheduleType: 'daily', time }], order(name))
const everySecond = [
  'start',
  { scheduleType: 'interval', intervalValue: 1, intervalUnit: 'seconds' },
] as const
/** SBIN always costs more than this, so the trigger fires at the first check. */
const alert = (price: number) =>
  [
    'priceAlert',
    { symbol: 'SBIN', exchange: 'NSE', condition: 'greater_than', price, trigger: 'once' },
  ] as const

describe('a run that is killed', () => {
  it('in a delay between two orders is interrupted: the first order exists once, the second never', async () => {
    const daemon = await desk()
    const flow = chain('Two', webhook, order('first'), ['delay', { delayValue: 60 }], order('second'))
    const hook = await webhookFlow(daemon, flow)
    const cutOff = fire(daemon, hook).catch(() => 'cut off')
    await eventually(async () => (await simulatedTags(daemon)).length === 1)
    expect(await runsOf(daemon, hook.id)).toMatchObject([{ status: 'running' }])

    await daemon.crash()
    expect(await cutOff).toBe('cut off')
    expect(await runsOf(daemon, hook.id)).toMatchObject([INTERRUPTED])
    expect(await simulatedTags(daemon)).toEqual(['first'])
    // The old run does not count as running, and a new run is separate.
    void fire(daemon, hook).catch(() => undefined)
    await eventually(async () => (await simulatedTags(daemon)).length === 2)
    await daemon.crash()
    expect(await runsOf(daemon, hook.id)).toMatchObject([INTERRUPTED, INTERRUPTED])
    expect(await simulatedTags(daemon)).toEqual(['first', 'first'])
  })

  testInTorture('right after a node neither repeats the node nor continues', async () => {
    const daemon = await desk({ SVC_CRASH_AT: 'flows.run.afterNode:2' })
    const hook = await webhookFlow(daemon, chain('Two', webhook, order('first'), order('second')))
    await fire(daemon, hook).catch(() => undefined)
    expect(await daemon.exited()).toEqual(KILLED)
    expect(await simulatedTags(daemon)).toEqual(['first'])

    await daemon.start()
    expect(await runsOf(daemon, hook.id)).toMatchObject([INTERRUPTED])
    expect(await simulatedTags(daemon)).toEqual(['first'])
    expect((await fire(daemon, hook)).status).toBe(200)
    expect(await simulatedTags(daemon)).toEqual(['first', 'first', 'second'])
  })
})

describe('a webhook call that is killed and retried under its Idempotency-Key', () => {
  const KEY = { 'idempotency-key': 'alert-7' }

  const CASES = [
    {
      when: 'before the run has acted runs',
      crashAt: 'flows.run.afterNode:1',
      status: 200,
      tags: ['first', 'second'],
    },
    {
      when: 'in the middle does not run again',
      crashAt: 'flows.run.afterNode:2',
      status: 500,
      tags: ['first'],
    },
    {
      when: 'after its end does not run again',
      crashAt: 'flows.run.afterEnd:1',
      status: 200,
      tags: ['first', 'second'],
    },
  ]
  it.each(casesFor(CASES, ({ status }) => status === 500))('$when', async ({ crashAt, status, tags }) => {
    const daemon = await desk({ SVC_CRASH_AT: crashAt })
    const hook = await webhookFlow(daemon, chain('Two', webhook, order('first'), order('second')))
    await fire(daemon, hook, {}, KEY).catch(() => undefined)
    expect(await daemon.exited()).toEqual(KILLED)

    await daemon.start()
    const retry = await fire(daemon, hook, {}, KEY)
    expect(retry.status).toBe(status)
    expect(await simulatedTags(daemon)).toEqual(tags)
    expect((await fire(daemon, hook, {}, KEY)).text).toBe(retry.text)
    expect(await runsOf(daemon, hook.id)).toHaveLength(1)
    expect(await simulatedTags(daemon)).toEqual(tags)
  })
})

testInTorture(
  'a signed call that is killed in the middle of its run does not run again under its id',
  async () => {
    const daemon = await desk({ SVC_CRASH_AT: 'flows.run.afterNode:2' })
    const hook = await webhookFlow(daemon, chain('Two', webhook, order('first'), order('second')))
    await daemon.request('POST', `/flow/api/workflows/${hook.id}/webhook/auth-type`, { auth_type: 'signed' })
    await fireSigned(daemon, hook, { id: 'alert-7' }).catch(() => undefined)
    expect(await daemon.exited()).toEqual(KILLED)

    await daemon.start()
    expect((await fireSigned(daemon, hook, { id: 'alert-7' })).status).toBe(500)
    expect(await runsOf(daemon, hook.id)).toHaveLength(1)
    expect(await simulatedTags(daemon)).toEqual(['first'])
  },
)

const KILLS = rounds(2, 100)
const CALLERS = 4

it(`${KILLS} kills while ${CALLERS} webhooks and a schedule place orders: no order twice, no acknowledged order lost`, {
  timeout: rounds(480_000, 2_400_000),
}, async () => {
  const random = chance('flows')
  // Each order has its run: none may be removed.
  const daemon = await desk({}, { FLOW_EXECUTION_RETENTION_COUNT: '0' })
  const ticking = await createFlow(
    daemon,
    chain(
      'Ticking',
      everySecond,
      ['variable', { variableName: 'mark', operation: 'set', value: 'tick-{{iso_timestamp}}' }],
      order('{{mark}}'),
    ),
  )
  await activateFlow(daemon, ticking)
  const hooks: FlowWebhook[] = []
  for (let caller = 1; caller <= CALLERS; caller++) {
    hooks.push(await webhookFlow(daemon, chain(`Called ${caller}`, webhook, order('{{webhook.mark}}'))))
  }

  const history = new History()
  const completed = new Map<number, string>()
  let over = false
  let open: Promise<unknown> = Promise.resolve()
  const call = async (client: number, hook: FlowWebhook) => {
    for (let turn = 0; !over; turn++) {
      await open
      const id = `mark-${client}-${turn}`
      const operation = history.invoke({ id, client })
      try {
        const { status, text, body } = await fire(daemon, hook, { mark: id })
        history.end(operation, status === 200 ? 'ok' : 'fail', { orderId: id, answer: `${status} ${text}` })
        if (status === 200) completed.set(body.execution_id ?? 0, id)
      } catch (error) {
        history.end(operation, 'info', { answer: String(error) })
      }
    }
  }
  const calls = hooks.map((hook, client) => call(client, hook))
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(random.between(20, 1_200))
    let goOn = () => {}
    open = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await daemon.kill()
    await daemon.start()
    goOn()
  }
  await eventually(async () => (await runsOf(daemon, ticking)).some(({ status }) => status === 'completed'))
  await eventually(() => history.count('ok') > KILLS, 'some calls are acknowledged')
  over = true
  await Promise.all(calls)
  // The next start would fire the schedule again, and the kill after it would leave that run unsettled.
  expect((await daemon.request('POST', `/flow/api/workflows/${ticking}/deactivate`)).status).toBe(200)
  await daemon.crash()
  await daemon.kill()

  const tags = await simulatedTags(daemon)
  const called = tags.filter((tag) => tag.startsWith('mark-'))
  const existing = called.map((tag): Existing => ({ orderId: tag, operation: tag }))
  expect(lostOrPhantom(history.operations, existing)).toEqual([])
  expect(executedTwice(history.operations, existing)).toEqual([])
  const runs = (await Promise.all(hooks.map(({ id }) => runsOf(daemon, id)))).flat()
  expect(runs.length).toBeGreaterThanOrEqual(called.length)
  const ended = new Set(runs.filter(({ status }) => status === 'completed').map(({ id }) => id))
  expect([...completed.keys()].filter((id) => !ended.has(id))).toEqual([])

  const ticks = tags.filter((tag) => tag.startsWith('tick-'))
  expect(new Set(ticks).size).toBe(ticks.length)
  const ticked = await runsOf(daemon, ticking)
  const marks = ticked.flatMap(({ status, logs }) =>
    status === 'completed' ? [/mark = (tick-[^"]+)"/.exec(logs)?.[1]] : [],
  )
  expect(marks.filter((mark) => mark === undefined || !ticks.includes(mark))).toEqual([])
  expect(ticked.length).toBeGreaterThanOrEqual(ticks.length)
  const unsettled = [...runs, ...ticked].filter(
    ({ status, error }) => status !== 'completed' && error !== INTERRUPTED.error,
  )
  expect(unsettled).toEqual([])
})

describe('killed while a workflow is activated', () => {
  const WATCHES: readonly FlowDocument[] = [
    daily('By day'),
    chain(
      'Every hour',
      ['start', { scheduleType: 'interval', intervalValue: 1, intervalUnit: 'hours' }],
      order('h'),
    ),
    chain('At a price', alert(9_999_999), order('p')),
    chain(
      'After a fill',
      ['orderUpdateTrigger', { symbol: 'NOSUCH', exchange: 'NSE', status: 'complete' }],
      order('o'),
    ),
  ]

  /** Returns a desk with one armed trigger of each kind. */
  async function armed(env: Record<string, string>) {
    const daemon = await desk(env)
    const others: number[] = []
    for (const document of WATCHES) others.push(await createFlow(daemon, document))
    for (const id of others) await activateFlow(daemon, id)
    return { daemon, others }
  }

  const CASES = [
    {
      when: 'before it is stored',
      env: { SVC_CRASH_AT: `flows.enable.beforeCommit:${WATCHES.length + 1}` },
      active: false,
    },
    {
      when: 'when it is stored, not armed',
      env: { SVC_CRASH_AT: `flows.enable.afterCommit:${WATCHES.length + 1}` },
      active: true,
    },
  ]
  it.each(casesFor(CASES, ({ active }) => active))(
    '$when: the workflow is fully active or inactive, and all others are armed again',
    async ({ env, active }) => {
      const { daemon, others } = await armed(env)
      const id = await createFlow(daemon, daily('New', '09:30'))
      await activateFlow(daemon, id).catch(() => undefined)
      expect(await daemon.exited()).toEqual(KILLED)

      await daemon.start()
      const { is_active } = (await flowsOf(daemon)).get('New') ?? {}
      expect(is_active).toBe(active)
      expect(await armedFlows(daemon)).toEqual([...others, ...(active ? [id] : [])])
      const { body } = await daemon.request('GET', `/flow/api/workflows/${id}`)
      expect(body.schedule_job_id).toBe(active ? `flow_workflow_${id}` : null)
      if (!active) await activateFlow(daemon, id)
      expect(await armedFlows(daemon)).toEqual([...others, id])
    },
  )

  testInTorture(
    'at random moments of activation and deactivation: exactly the active workflows are armed',
    async () => {
      const random = chance('activation')
      const { daemon, others } = await armed({})
      const id = await createFlow(daemon, daily('Switched'))
      for (let round = 0; round < rounds(2); round++) {
        let over = false
        const switching = (async () => {
          while (!over) {
            for (const verb of ['activate', 'deactivate']) {
              await daemon.request('POST', `/flow/api/workflows/${id}/${verb}`).catch(() => undefined)
            }
          }
        })()
        await pause(random.between(0, 60))
        over = true
        await daemon.crash()
        await switching
        const rows = [...(await flowsOf(daemon)).values()]
        const active = rows.filter(({ is_active }) => is_active).map((row) => row.id)
        expect(await armedFlows(daemon)).toEqual(active.sort((a, b) => a - b))
        expect(active).toEqual(expect.arrayContaining(others))
      }
    },
  )
})

describe('killed while the API key is rotated', () => {
  const CASES = [
    {
      when: 'with the new key written and the copy of the workflow not',
      point: 'identity.rotate.midTransaction',
    },
    { when: 'with both committed and neither in memory', point: 'identity.rotate.afterCommit' },
  ]
  it.each(casesFor(CASES, ({ point }) => point === 'identity.rotate.afterCommit'))(
    '$when: the active workflow runs with the key that is valid',
    async ({ point }) => {
      const daemon = await desk({ SVC_CRASH_AT: point })
      const hook = await webhookFlow(daemon, chain('Hook', webhook, order('hook')))
      const account = { user_id: USERNAME }
      await daemon.request('POST', '/apikey', account).catch(() => undefined)
      expect(await daemon.exited()).toEqual(KILLED)

      await daemon.start()
      expect((await fire(daemon, hook)).status).toBe(200)
      expect((await daemon.request('POST', '/apikey', account)).status).toBe(200)
      expect((await fire(daemon, hook)).status).toBe(200)
      await daemon.crash()
      expect((await fire(daemon, hook)).status).toBe(200)
      expect(await simulatedTags(daemon)).toEqual(['hook', 'hook', 'hook'])
    },
  )
})

describe('a one-shot price alert', () => {
  const CASES = [
    {
      when: 'right after its run began to act',
      env: { SVC_CRASH_AT: 'flows.run.afterNode:2' },
      run: INTERRUPTED,
    },
    {
      when: 'right after its run ended',
      env: { SVC_CRASH_AT: 'flows.run.afterEnd' },
      run: { status: 'completed' },
    },
  ]
  it.each(casesFor(CASES, ({ run }) => run === INTERRUPTED))(
    'killed $when, before it was put away, does not run again',
    async ({ env, run }) => {
      const daemon = await desk(env)
      const id = await createFlow(daemon, chain('Once', alert(1), order('once')))
      await activateFlow(daemon, id).catch(() => undefined)
      expect(await daemon.exited()).toEqual(KILLED)
      expect(await simulatedTags(daemon)).toEqual(['once'])

      await daemon.start()
      expect((await flowsOf(daemon)).get('Once')).toMatchObject({ is_active: false })
      expect(await armedFlows(daemon)).toEqual([])
      await activateFlow(daemon, await createFlow(daemon, chain('Later', alert(1), order('later'))))
      await eventually(async () => (await simulatedTags(daemon)).length > 1, 'prices are looked at')
      expect(await simulatedTags(daemon)).toEqual(['once', 'later'])
      expect(await runsOf(daemon, id)).toMatchObject([run])
    },
  )
})

describe('killed while a file changes the trigger of an active workflow', () => {
  const apply = (daemon: DaemonProcess, time: string) =>
    daemon.request('POST', '/flow/api/apply', {
      workflows: [{ key: 'timed', ...daily('Timed', time) }],
      activate: true,
    })

  const CASES = [
    { when: 'before it is stored', env: { SVC_CRASH_AT: 'flows.apply.midTransaction:2' }, time: '09:20' },
    {
      when: 'when it is stored, not armed',
      env: { SVC_CRASH_AT: 'flows.enable.afterCommit:2' },
      time: '14:40',
    },
  ]
  it.each(casesFor(CASES, ({ time }) => time === '14:40'))(
    '$when: it is active, and armed for the time it shows',
    async ({ env, time }) => {
      const daemon = await desk(env)
      expect((await apply(daemon, '09:20')).status).toBe(200)
      await apply(daemon, '14:40').catch(() => undefined)
      expect(await daemon.exited()).toEqual(KILLED)

      await daemon.start()
      const due = async () => (await flowsOf(daemon)).get('Timed')
      expect(await due()).toMatchObject({
        is_active: true,
        next_run_at: expect.stringContaining(`T${time}:00`),
      })
      expect((await apply(daemon, '14:40')).status).toBe(200)
      expect(await due()).toMatchObject({
        is_active: true,
        next_run_at: expect.stringContaining('T14:40:00'),
      })
    },
  )
})

describe('killed while files are applied', () => {
  const FILES = 12
  const text = (round: number) => `round ${round}`
  const document = (key: string, round: number) =>
    chain(key, ['start'], ['log', { message: text(round) }], ['log', { message: text(round) }])
  const keys = Array.from({ length: FILES }, (_, index) => `file-${index}`)
  const apply = (daemon: DaemonProcess, round: number) =>
    daemon.request<{ data: { action: string }[] }>('POST', '/flow/api/apply', {
      workflows: keys.map((key) => ({ key, ...document(key, round) })),
    })

  /** Returns the round of each workflow. Fails for a workflow that mixes two rounds. */
  async function roundsOf(daemon: DaemonProcess): Promise<(string | undefined)[]> {
    const flows = await flowsOf(daemon)
    return Promise.all(
      keys.map(async (key) => {
        const row = flows.get(key)
        if (!row) return undefined
        const { body } = await daemon.request<FlowDocument>('GET', `/flow/api/workflows/${row.id}`)
        const messages = new Set(body.nodes.slice(1).map(({ data }) => String(data.message)))
        expect(messages.size).toBe(1)
        expect(row.file_key).toBe(key)
        const { body: versions } = await daemon.request<{ data: { version: number }[] }>(
          'GET',
          `/flow/api/workflows/${row.id}/versions`,
        )
        expect(versions.data.map(({ version }) => version)).toEqual(
          Array.from({ length: row.version }, (_, index) => row.version - index),
        )
        return [...messages][0]
      }),
    )
  }

  const CASES = [
    { what: 'new', before: 0 },
    { what: 'changed', before: 1 },
  ]
  it.each(casesFor(CASES, ({ what }) => what === 'changed'))(
    'in the middle of one that is $what: each is whole, a second apply finishes the rest',
    async ({ before }) => {
      const daemon = await desk({ SVC_CRASH_AT: `flows.apply.midTransaction:${FILES * before + 3}` })
      if (before > 0) expect((await apply(daemon, 0)).status).toBe(200)
      await apply(daemon, 1).catch(() => undefined)
      expect(await daemon.exited()).toEqual(KILLED)

      await daemon.start()
      const old = before > 0 ? text(0) : undefined
      expect(await roundsOf(daemon)).toEqual(keys.map((_, index) => (index < 2 ? text(1) : old)))
      const { body } = await apply(daemon, 1)
      const rest = before > 0 ? 'update' : 'create'
      expect(body.data.map(({ action }) => action)).toEqual(
        keys.map((_, index) => (index < 2 ? 'none' : rest)),
      )
      expect(await roundsOf(daemon)).toEqual(keys.map(() => text(1)))
    },
  )

  testInTorture(
    'at random moments: each workflow is wholly old or new, in the order of the files',
    async () => {
      const random = chance('apply')
      const daemon = await desk()
      await apply(daemon, 0)
      for (let round = 1; round <= rounds(2); round++) {
        const cutOff = apply(daemon, round).catch(() => undefined)
        await pause(random.between(0, 60))
        await daemon.crash()
        await cutOff
        const found = await roundsOf(daemon)
        const fresh = found.filter((one) => one === text(round)).length
        expect(found).toEqual(keys.map((_, index) => text(index < fresh ? round : round - 1)))
        await apply(daemon, round)
        expect(await roundsOf(daemon)).toEqual(keys.map(() => text(round)))
      }
    },
  )
})

describe('a schedule', () => {
  const soon = (ms: number) => new Date(Date.now() + ms).toISOString()
  const once = (at: string) =>
    chain('Once', ['start', { scheduleType: 'once', executeAt: at }], order('once'))

  it('a kill between the claim of an instant and its run loses the run and never doubles it', async () => {
    const daemon = await desk({ SVC_CRASH_AT: 'flows.timer.afterFire' })
    const id = await createFlow(daemon, once(soon(5_000)))
    await activateFlow(daemon, id)
    expect(await daemon.exited()).toEqual(KILLED)

    await daemon.start()
    await activateFlow(daemon, await createFlow(daemon, chain('Ticking', everySecond, order('tick'))))
    await eventually(async () => (await simulatedTags(daemon)).length > 0, 'schedules fire')
    expect(await simulatedTags(daemon)).not.toContain('once')
    expect(await runsOf(daemon, id)).toEqual([])
  })

  testInTorture(
    'a kill before its time and a start after it: it runs once, late, also through another kill',
    async () => {
      const daemon = await desk()
      const at = Date.now() + 5_000
      const id = await createFlow(daemon, once(new Date(at).toISOString()))
      await activateFlow(daemon, id)
      await daemon.kill()
      await pause(Math.max(0, at - Date.now()))
      await daemon.start()
      await eventually(async () => (await runsOf(daemon, id)).some(({ status }) => status === 'completed'))
      await daemon.crash()
      expect(await simulatedTags(daemon)).toEqual(['once'])
      expect(await runsOf(daemon, id)).toMatchObject([{ status: 'completed', trigger: 'schedule' }])
    },
  )
})
