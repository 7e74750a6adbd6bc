import { expect, test } from 'vitest'
import { Decisions } from '../../../src/tui/approvals/decisions.js'
import { Unread } from '../../../src/tui/approvals/unread.js'
import { QuestionAges } from '../../../src/tui/question/age.js'
import { DOWN, ENTER } from '../support/shown.js'
import { approvalScreen, queueDesk } from './queue-desk.js'

/** Three orders, each of which one key approves, and the time of the program. */
async function opened() {
  const live = await queueDesk()
  for (const price of [760, 761, 762]) await live.queue({ price })
  const app = await approvalScreen(live, 120)
  const decisions = app.desk.part(Decisions)
  decisions.undoWindow = { seconds: 3600, from: 0 }
  let now = 0
  app.desk.part(Unread).clock = () => now
  await expect.poll(() => app.desk.status.state().content).toBeDefined()
  await app.shows(/^> *3 /m)
  await app.shows(/WOULD SEND +BUY 10 NSE:SBIN MIS LIMIT 762/)
  const pass = (ms: number) => {
    now += ms
  }
  return { ...live, ...app, decisions, pass }
}

test('a second press of a does not approve the order that has come under the cursor', async () => {
  const { decisions, pass, press, shows } = await opened()
  await press('a')
  await shows(/WOULD SEND +BUY 10 NSE:SBIN MIS LIMIT 761/)
  pass(200)
  await press('a')
  await shows('Ignored: approval 2 came under the cursor only now. Look at it first.')
  expect(decisions.unsent()).toEqual(['the decision on approval 3'])
  pass(500)
  await press('a')
  await shows('Approval 2: approved in 3600 s, u undoes')
})

test('a key that is held down approves one order, and no other for as long as it is held', async () => {
  const { decisions, pass, press, shows } = await opened()
  await press(ENTER)
  await shows(/STATE +pending/)
  await press('a')
  await shows(/WOULD SEND +BUY 10 NSE:SBIN MIS LIMIT 761/)
  pass(660)
  for (let repeats = 0; repeats < 20; repeats += 1) {
    await press('a')
    pass(40)
  }
  expect(decisions.unsent()).toEqual(['the decision on approval 3'])
})

test('a key that takes the cursor to an order counts as a look at it', async () => {
  const { press, shows } = await opened()
  await press('a')
  await shows(/^> *2 /m)
  await press(DOWN)
  await shows(/WOULD SEND +BUY 10 NSE:SBIN MIS LIMIT 760/)
  await press('a')
  await shows('Approval 1: approved in 3600 s, u undoes')
})

test('a press does not approve the order that takes the place of one that others have decided', async () => {
  const { decisions, press, reject, shows } = await opened()
  await reject(3, 'no')
  await shows(/WOULD SEND +BUY 10 NSE:SBIN MIS LIMIT 761/)
  await press('a')
  await shows('Ignored: approval 2 came under the cursor only now.')
  expect(decisions.unsent()).toEqual([])
})

test('a after the answer to a question asks at once about the next order', async () => {
  const { decisions, press, shows } = await opened()
  decisions.undoWindow = { seconds: 3600, from: 7621 }
  await press('a')
  await shows('Approve 1 order, ₹7,620.00 in LIVE mode')
  await press('y')
  await shows(/^> *2 /m)
  await press('a')
  await shows('Approve 1 order, ₹7,610.00 in LIVE mode')
})

test('a plan that is more than a minute old is read again before it can be approved', async () => {
  const { decisions, desk, pass, press, shows } = await opened()
  decisions.undoWindow = { seconds: 3600, from: 7621 }
  let now = 0
  desk.part(QuestionAges).clock = () => now
  await press('a')
  await shows('Approve 1 order, ₹7,620.00 in LIVE mode')
  now += 60_001
  await press('y')
  await shows('This may be old: enter reads it again.')
  await press('y')
  expect(decisions.unsent()).toEqual([])
  await press(ENTER)
  await shows(/in LIVE mode[\s\S]*^y approve {2}n cancel/m)
  pass(1000)
  await press('y')
  await shows(/^> *2 /m)
})
