import { Text } from 'ink'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { LiveDaemon } from '../../../src/tui/live/daemon.js'
import { QuestionAges } from '../../../src/tui/question/age.js'
import { type ChangeQuestion, type Questioning, useQuestion } from '../../../src/tui/question/use-question.js'
import { USER } from '../../support/desk/desk.js'
import { heldAccount } from '../support/held-account.js'
import { heldChange } from '../support/held-change.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

/** A program that can ask a question, and the changes that it has sent. */
async function opened() {
  const daemon = await liveDesk()
  const drawn: Questioning[] = []
  const Screen = () => {
    const question = useQuestion()
    drawn.push(question)
    const { state } = question
    return <Text>{state?.kind === 'asked' ? state.question.title : (state?.kind ?? 'nothing')}</Text>
  }
  const app = await shown(daemon.access, <Screen />)
  await expect.poll(() => app.desk.connection.state.get().kind).toBe('connected')
  const sent: string[] = []
  const questionOf = (title: string): ChangeQuestion => ({
    title,
    lines: [],
    change: {
      name: title,
      check: 'svc status',
      async send() {
        sent.push(title)
        return 'done.'
      },
    },
  })
  const { changes } = app.desk
  let now = 0
  app.desk.part(QuestionAges).clock = () => now
  return {
    ...daemon,
    ...app,
    changes,
    sent,
    questionOf,
    /** Lets time pass for the facts of the question. */
    age(ms: number) {
      now += ms
    },
    /** The question as it is drawn now. */
    drawn() {
      const last = drawn.at(-1)
      if (last === undefined) throw new Error('Nothing is drawn.')
      return last
    },
    async orderMode(mode: 'auto' | 'semi_auto') {
      await daemon.client.request('POST /apikey/mode', { body: { user_id: USER, mode } })
    },
  }
}

type Opened = Awaited<ReturnType<typeof opened>>

/** Asks a question about orders, and waits until it is drawn. */
async function askedForOrders({ drawn, questionOf, shows }: Opened) {
  await drawn().askForOrders(async () => questionOf('Close'))
  await shows('Close')
}

test('two confirmations before the next drawing send one change', async () => {
  const { changes, drawn, questionOf, sent, shows } = await opened()
  drawn().ask(questionOf('Close'))
  await shows('Close')
  const { confirm } = drawn()
  expect(await Promise.all([confirm(), confirm()])).toEqual([true, false])
  await changes.settled()
  // The answer has come, and the question of the last drawing is still at hand.
  expect(await confirm()).toBe(false)
  expect(sent).toEqual(['Close'])
  expect(changes.message.get()).toBe('Close: done.')
})

test('two confirmations send one change about orders too', async () => {
  const desk = await opened()
  await askedForOrders(desk)
  const { confirm } = desk.drawn()
  expect(await Promise.all([confirm(), confirm()])).toEqual([true, false])
  expect(desk.sent).toEqual(['Close'])
})

test('a question that took the place of the drawn one is not confirmed unseen', async () => {
  const { drawn, questionOf, sent, shows } = await opened()
  drawn().ask(questionOf('Close'))
  await shows('Close')
  const { ask, confirm } = drawn()
  ask(questionOf('Close all'))
  expect(await confirm()).toBe(false)
  expect(sent).toEqual([])
  await shows('Close all')
})

test('of two questions that are read, the later one is asked', async () => {
  const { desk, drawn, questionOf, shows, screen } = await opened()
  const answers = heldAccount(desk)
  void drawn().askForOrders(async () => questionOf('Cancel'))
  void drawn().askForOrders(async () => questionOf('Close'))
  await shows('reading')
  await answers()
  expect(screen()).toBe('Close')
})

test('a change that was confirmed for one order mode is not sent in another one', async () => {
  const desk = await opened()
  await desk.orderMode('semi_auto')
  await askedForOrders(desk)
  await desk.orderMode('auto')
  expect(await desk.drawn().confirm()).toBe(false)
  expect(desk.changes.message.get()).toMatch(/^Not sent: the mode or the broker has changed\./)
  await desk.shows('nothing')
  expect(desk.sent).toEqual([])
})

test('a change is not sent when nobody knows where orders go', async () => {
  const desk = await opened()
  await askedForOrders(desk)
  await desk.lose()
  expect(await desk.drawn().confirm()).toBe(false)
  expect(desk.changes.message.get()).toMatch(/^Not sent: /)
  await desk.shows('nothing')
  expect(desk.sent).toEqual([])
})

test('a question that the user leaves while it is checked again sends nothing', async () => {
  const desk = await opened()
  await askedForOrders(desk)
  const answers = heldAccount(desk.desk)
  const confirmed = desk.drawn().confirm()
  await desk.shows('reading')
  desk.drawn().leave()
  await answers()
  expect(await confirmed).toBe(false)
  expect(desk.sent).toEqual([])
  expect(desk.changes.message.get()).toBe('')
})

test('a confirmed change counts as not settled while its question is checked again', async () => {
  const desk = await opened()
  await askedForOrders(desk)
  const answers = heldAccount(desk.desk)
  const confirmed = desk.drawn().confirm()
  await desk.shows('reading')
  expect([desk.changes.isSettled(), desk.desk.unsent()]).toEqual([false, ['Close']])
  const settled = desk.desk.settled().then(() => [...desk.sent])
  await answers()
  expect(await settled).toEqual(['Close'])
  expect([await confirmed, desk.desk.unsent()]).toEqual([true, []])
})

test.each([
  ['ends', 'Close: not sent. The program ends.', (desk: LiveDaemon) => desk.dropAtEnd()],
  [
    'is suspended',
    'Close: not sent. The program was suspended: decide again.',
    (desk: LiveDaemon) => desk.suspended(),
  ],
])('a confirmed change that is checked again is not sent when the program %s', async (_name, said, end) => {
  const desk = await opened()
  await askedForOrders(desk)
  const answers = heldAccount(desk.desk)
  const confirmed = desk.drawn().confirm()
  await desk.shows('reading')
  end(desk.desk)
  await answers()
  expect(await confirmed).toBe(false)
  expect(desk.sent).toEqual([])
  expect(desk.changes.message.get()).toBe(said)
  expect(desk.desk.failures).toEqual([said])
})

test('a question stays while another change waits for its answer', async () => {
  const desk = await opened()
  const other = heldChange('Cancel')
  desk.changes.start(other)
  await askedForOrders(desk)
  expect(await desk.drawn().confirm()).toBe(false)
  expect(desk.changes.message.get()).toMatch(/^Close: not sent\. Another change waits/)
  await desk.shows('Close')
  other.answer()
  await desk.changes.settled()
  expect(await desk.drawn().confirm()).toBe(true)
  expect(desk.sent).toEqual(['Close'])
})

test.each([
  ['is more than a minute old', ({ age }: Opened) => age(60_001)],
  ['was read before the program was suspended', ({ desk }: Opened) => desk.suspended()],
  ['was read before the machine slept', () => vi.setSystemTime(Date.now() + 60_001)],
])('a question that %s sends nothing until its facts are read again', async (_name, pass) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const desk = await opened()
  let reads = 0
  await desk.drawn().askForOrders(async () => desk.questionOf(`Close ${++reads}`))
  await desk.shows('Close 1')
  pass(desk)
  expect(await desk.drawn().confirm()).toBe(false)
  expect(desk.sent).toEqual([])
  await expect.poll(() => desk.drawn().state).toMatchObject({ isOld: true })
  const { state } = desk.drawn()
  if (state?.kind === 'asked') state.reading?.again()
  await desk.shows('Close 2')
  expect(await desk.drawn().confirm()).toBe(true)
  expect(desk.sent).toEqual(['Close 2'])
})

test('a question is sent until its facts are a minute old, and grows old by itself', async () => {
  const desk = await opened()
  await askedForOrders(desk)
  desk.age(60_001)
  await expect.poll(() => desk.drawn().state).toMatchObject({ isOld: true })
  desk.drawn().leave()
  await askedForOrders(desk)
  desk.age(60_000)
  expect(await desk.drawn().confirm()).toBe(true)
  expect(desk.sent).toEqual(['Close'])
})

test('a question without facts of the daemon does not grow old', async () => {
  const { age, drawn, questionOf, sent, shows } = await opened()
  drawn().ask(questionOf('Delete'))
  await shows('Delete')
  age(3_600_000)
  expect(await drawn().confirm()).toBe(true)
  expect(sent).toEqual(['Delete'])
})

test('a question that cannot be read says why, on the message line or to the one who asks', async () => {
  const { changes, drawn, shows } = await opened()
  const read = async () => ({ refusal: 'no order waits.' })
  await drawn().askWhenRead(read)
  expect(changes.message.get()).toBe('Not sent: no order waits.')
  const heard: string[] = []
  await drawn().askWhenRead(read, (reason) => heard.push(reason))
  expect(heard).toEqual(['Not sent: no order waits.'])
  expect(changes.message.get()).toBe('')
  await shows('nothing')
})
