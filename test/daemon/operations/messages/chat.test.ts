import { describe, expect, test, vi } from 'vitest'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, USER } from '../../../support/desk/desk.js'
import { HttpDesk } from '../../../support/desk/http-desk.js'
import { eventually, pause } from '../../../support/eventually.js'
import { BOT_TOKEN, FakeTelegram, type SentText } from '../../../support/messages/fake-telegram.js'

const CHAT = 4711
const STRANGER = 666

async function open(more: Record<string, string> = {}) {
  const telegram = await FakeTelegram.open()
  const env = { TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_CHATS: `${USER}=${CHAT}`, ...more }
  const http = await HttpDesk.open({ env, telegramApi: telegram.api })
  const { service } = http.desk
  /** Resolves with the message of the bot that came after `before` messages. */
  const answerAfter = async (before: number): Promise<SentText> => {
    await eventually(() => telegram.sent.length > before, 'the bot answers')
    return telegram.sent[before] as SentText
  }
  const say = (text: string, chat = CHAT) => {
    const before = telegram.sent.length
    telegram.says(chat, text)
    return answerAfter(before)
  }
  const press = (message: SentText, text: RegExp, from = CHAT) => {
    const button = message.buttons.find((one) => text.test(one.text))
    if (!button) throw new Error(`no button ${text} under ${message.text}`)
    return telegram.presses(from, message.message_id, button.callback_data)
  }
  /** Presses a button that asks, and resolves with the question. */
  const ask = (message: SentText, text: RegExp) => {
    const before = telegram.sent.length
    press(message, text)
    return answerAfter(before)
  }
  const edited = async (message: SentText) => {
    const find = () => telegram.edited.find(({ message_id: id }) => id === message.message_id)
    await eventually(() => find() !== undefined, 'the question is replaced')
    return find()?.text ?? ''
  }
  /** Queues an order for approval and resolves with the alert about it. */
  const queued = async (quantity = 10) => {
    await service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const before = telegram.sent.length
    await http.desk.place({ symbol: 'SBIN', quantity })
    return answerAfter(before)
  }
  return { http, service, telegram, say, press, ask, edited, queued }
}

/** Leaves out the alerts about orders. */
async function quiet(service: Rig['service']) {
  const [contact] = service.messages.contacts.all()
  if (contact)
    await service.messages.contacts.change(contact, { orders: false, trades: false, system: false })
}

/** Returns the acts of chats, oldest first. */
async function chatActs({ service }: Pick<Rig, 'service'>) {
  await service.audit.flush()
  const rows = await service.audit.list({ limit: 1000, after: 0 })
  return rows
    .filter(({ credential }) => credential === 'chat')
    .map(({ act, actor, after, before, code, credentialId, outcome, target }) => ({
      act,
      actor,
      code,
      credentialId,
      outcome,
      target,
      before: before === null ? null : JSON.parse(before),
      after: after === null ? null : JSON.parse(after),
    }))
}

/** Waits long enough for an update to be answered, if it were. */
const silence = () => pause(300)

describe('a linked chat', () => {
  const ANSWERS: readonly (readonly [text: string, answer: RegExp])[] = [
    ['/help', /^Commands\n\n\/start/],
    ['/start', /\/positions: positions/],
    ['/status', /User: asha\nMode: live\nOrder mode: auto\nKill switch: off\nBroker: simulated/],
    ['/status@svc_test_bot', /Mode: live/],
    ['/orderbook', /^Orders\n\nBUY 10 SBIN MIS MARKET/],
    ['/tradebook', /^Trades\n\nBUY 10 SBIN at /],
    ['/positions', /^Positions\n\nSBIN MIS: 10 at /],
    ['/holdings', /^Holdings\n\nRELIANCE: 50 at 1385.4, P&L /],
    ['/funds', /^Funds\n\nAvailable cash: /],
    ['/pnl', /^P&L of the positions: ₹-?[\d,]+\.\d\d\n\nSBIN MIS: ₹-?[\d,]+\.\d\d$/],
    ['/quote sbin', /^SBIN NSE: \d/],
    ['/quote', /^Send \/quote SYMBOL/],
    ['/quote NOSUCH', /NOSUCH/],
    ['/mode', /^Mode: live\./],
    ['/menu', /^Mode: live\./],
    ['/approvals', /^No order waits for approval\.$/],
    ['/closeall', /^Close all open positions at market, in live mode\?\n\nSBIN MIS: 10\n\nConfirm within 60/],
    ['/chart', /^Unknown command/],
    ['/stoppython', /^Unknown command/],
    ['constructor', /^Unknown command/],
    ['', /^Unknown command/],
    ['/link ABC', /^This chat is linked to asha\.$/],
  ]

  test('is answered', async () => {
    const { http, say, service } = await open()
    await quiet(service)
    await http.desk.place({ symbol: 'SBIN', quantity: 10 })
    for (const [text, answer] of ANSWERS) {
      const reply = await say(text)
      expect(reply.text, text).toMatch(answer)
      expect(reply.chat_id, text).toBe(String(CHAT))
    }
  })

  test('gets no more than thirty answers in a minute', async () => {
    const { say, telegram } = await open()
    for (let count = 0; count < 30; count++) await say('/mode')
    telegram.says(CHAT, '/mode')
    await silence()
    expect(telegram.sent).toHaveLength(30)
  })

  test('ends its link, and is a stranger then', async () => {
    const { say, service, telegram } = await open()
    expect((await say('/unlink')).text).toBe('This chat is no longer linked to asha.')
    telegram.says(CHAT, '/status')
    await silence()
    expect(telegram.sent).toHaveLength(1)
    expect(service.messages.contacts.all()).toEqual([])
  })
})

describe('an alert', () => {
  test('says once that scheduled backups fail, and not that one by hand does', async () => {
    const { service, telegram } = await open({ BACKUP_DIR: '/nowhere/backups' })
    await expect(service.backups.make('manual')).rejects.toThrow(/nowhere/)
    for (let time = 0; time < 3; time++)
      await expect(service.backups.make('scheduled')).rejects.toThrow(/nowhere/)
    await eventually(() => telegram.sent.length > 0, 'the alert arrives')
    await silence()
    expect(telegram.sent.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^The scheduled backup failed\. The service tries again every 15 minutes\.\n.*nowhere/,
      ),
    ])
  })
})

describe('any other chat', () => {
  test('gets nothing: no stranger, group or forwarded command, and no update of another kind', async () => {
    const { say, telegram } = await open()
    telegram.says(STRANGER, '/status')
    telegram.says(STRANGER, '/link ABCDEFGHIJ')
    telegram.says(CHAT, '/status', { chat: { id: -100, type: 'group' } })
    telegram.says(CHAT, '/kill', { forward_origin: { type: 'user' } })
    // The answer to a later command comes after theirs, if they had any.
    expect((await say('/mode')).text).toMatch(/^Mode: live\./)
    telegram.deliver({ update_id: 900, poll: {} })
    telegram.deliver({ update_id: 901, message: 7 })
    await silence()
    expect(telegram.sent).toHaveLength(1)
  })

  test('a stranger links with a code, once', async () => {
    const { http, say, service, telegram } = await open()
    const token = await http.signIn()
    const { body } = await http.request('POST', '/messages/link', {
      headers: { authorization: `Bearer ${token}` },
    })
    const { code } = body.data as { code: string }
    expect((await say(`/link ${code}`, STRANGER)).text).toMatch(/^This chat is linked to asha\./)
    expect(service.messages.contacts.all()).toMatchObject([
      { address: '666', origin: 'user', handle: 'asha_r' },
    ])
    telegram.says(777, `/link ${code}`)
    await silence()
    expect(telegram.sent).toHaveLength(1)
  })

  test('a code is refused after ten minutes, and after five wrong ones of the chat', async () => {
    const { http, service } = await open()
    const { codes } = service.messages
    const { code } = codes.create(USER)
    for (let wrong = 0; wrong < 5; wrong++) expect(codes.take(`WRONG${wrong}`, '1')).toBeUndefined()
    expect(codes.take(code, '1')).toBeUndefined()
    const later = codes.create(USER)
    await http.desk.clock.advance(600_001)
    expect(codes.take(later.code, '2')).toBeUndefined()
    expect(codes.take(codes.create(USER).code.toLowerCase(), '2')).toBe(USER)
  })
})

describe('an act from a chat', () => {
  test('approves an order after a confirmation, and says who approved', async () => {
    const { ask, edited, http, press, queued, service } = await open()
    const alert = await queued()
    expect(alert.text).toMatch(/^An order waits for approval\n#\d+ placeorder: BUY 10 SBIN NSE MIS MARKET/)
    const question = await ask(alert, /^Approve #/)
    expect(question.text).toMatch(/^Approve, and execute now in live mode at \w+\?/)
    expect(await http.desk.ledger()).toEqual([])
    press(question, /^Yes/)
    expect(await edited(question)).toMatch(/is approved and executed\. Broker order id: \w/)
    expect(await http.desk.ledger()).toHaveLength(1)
    const { orders } = await service.approvals.list(USER, { status: 'approved' })
    expect(orders).toMatchObject([{ approved_by: 'asha (telegram 4711)', execution: 'done' }])
  })

  test('shows each order of a basket before it is approved, and what they are worth', async () => {
    const { ask, http, service, telegram } = await open()
    await service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const {
      underlying_ltp: _,
      strategy,
      ...line
    } = payloadOf({ pricetype: 'LIMIT', price: 700, product: 'MIS' })
    const orders = [
      { ...line, symbol: 'SBIN', quantity: 100 },
      { ...line, symbol: 'SBIN', quantity: 50 },
    ]
    await http.desk.orders.multi.submit(BASKET_ORDER, { strategy, orders }, { userId: USER, source: 'api' })
    await eventually(() => telegram.sent.length > 0)
    const { text } = await ask(telegram.sent[0] as SentText, /^Approve #/)
    expect(text).toContain('Sends now 2 orders, value ₹1,05,000.00')
    for (const quantity of [100, 50]) expect(text).toContain(`BUY ${quantity} SBIN NSE MIS LIMIT 700`)
  })

  test('sends nothing else than the question showed', async () => {
    const { ask, edited, http, press, service, telegram } = await open()
    const { underlying_ltp: _, ...order } = payloadOf({ product: 'MIS' })
    const { multi } = http.desk.orders
    const context = { userId: USER, source: 'api' } as const
    const smart = (size: number) => multi.submit(SMART_ORDER, { ...order, position_size: size }, context)
    await service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    await smart(20)
    await eventually(() => telegram.sent.length > 0)
    const question = await ask(telegram.sent[0] as SentText, /^Approve #/)
    expect(question.text).toContain('BUY 20 SBIN')
    await service.identity.apiKeys.setOrderMode(USER, 'auto')
    await http.desk.settled(smart(5))
    press(question, /^Yes/)
    expect(await edited(question)).toContain(
      'it would now send BUY 15 NSE:SBIN MIS MARKET, and shown was BUY 20',
    )
    expect((await http.desk.ledger()).map(({ quantity }) => quantity)).toEqual([5])
  })

  test('happens once, however often the button is pressed and the update repeated', async () => {
    const { ask, edited, http, press, queued, service, telegram } = await open()
    const question = await ask(await queued(), /^Approve #/)
    const [first] = [press(question, /^Yes/), press(question, /^Yes/), press(question, /^Yes/)]
    await edited(question)
    telegram.deliver(first)
    for (let repeat = 0; repeat < 3; repeat++) await service.messages.telegram.accept(first)
    await silence()
    expect(await http.desk.ledger()).toHaveLength(1)
  })

  test('two confirmations of one order execute it once', async () => {
    const { ask, edited, http, press, queued } = await open()
    const alert = await queued()
    const one = await ask(alert, /^Approve #/)
    const other = await ask(alert, /^Approve #/)
    press(one, /^Yes/)
    press(other, /^Yes/)
    const texts = [await edited(one), await edited(other)].sort()
    expect(texts.filter((text) => /approved and executed/.test(text))).toHaveLength(1)
    expect(await http.desk.ledger()).toHaveLength(1)
  })

  test('rejects an order', async () => {
    const { ask, edited, http, press, queued, service } = await open()
    const question = await ask(await queued(), /^Reject #/)
    press(question, /^Yes/)
    expect(await edited(question)).toMatch(/is rejected\.$/)
    const { orders } = await service.approvals.list(USER, { status: 'rejected' })
    expect(orders).toMatchObject([{ rejected_by: 'asha (telegram 4711)' }])
    expect(await http.desk.ledger()).toEqual([])
  })

  test.each([
    ['is cancelled', async ({ press }: Rig, question: SentText) => press(question, /^Cancel/), /^Cancelled/],
    [
      'comes after a minute',
      async ({ http, press }: Rig, question: SentText) => {
        await http.desk.clock.advance(60_000)
        press(question, /^Yes/)
      },
      /has been used or is too old/,
    ],
    [
      'comes under another message',
      async ({ press }: Rig, question: SentText) =>
        press({ ...question, message_id: question.message_id - 1 }, /^Yes/),
      /has been used or is too old/,
    ],
    [
      'comes after a change of the mode',
      async ({ press, service }: Rig, question: SentText) => {
        await service.modeSwitch.set(true, 'test')
        press(question, /^Yes/)
      },
      /The mode has changed since the question/,
    ],
  ])('does nothing when the confirmation %s', async (_name, answer, text) => {
    const rig = await open()
    const question = await rig.ask(await rig.queued(), /^Approve #/)
    await answer(rig, question)
    await eventually(() => rig.telegram.edited.length > 0)
    expect(rig.telegram.edited[0]?.text).toMatch(text)
    expect(await rig.http.desk.ledger()).toEqual([])
    expect(rig.service.approvals.count(USER)).toBe(1)
  })

  test('does nothing in a mode that came while the question was written', async () => {
    const { ask, edited, http, press, queued, service } = await open()
    const alert = await queued()
    await quiet(service)
    await service.modeSwitch.set(true, 'test')
    const view = service.approvals.view.bind(service.approvals)
    vi.spyOn(service.approvals, 'view').mockImplementationOnce(async (...order) => {
      await service.modeSwitch.set(false, 'test')
      return view(...order)
    })
    const question = await ask(alert, /^Approve #/)
    expect(question.text).toMatch(/execute now in analyze mode/)
    press(question, /^Yes/)
    expect(await edited(question)).toMatch(/The mode has changed since the question/)
    expect(await http.desk.ledger()).toEqual([])
  })

  test('of another person does nothing, even with the button of a linked one', async () => {
    const { ask, http, press, queued, telegram } = await open()
    const question = await ask(await queued(), /^Approve #/)
    press(question, /^Yes/, STRANGER)
    telegram.presses(CHAT, question.message_id, question.buttons[0]?.callback_data ?? '', STRANGER)
    await silence()
    expect(telegram.edited).toEqual([])
    expect(await http.desk.ledger()).toEqual([])
  })

  test('on an order that is decided says so', async () => {
    const { ask, queued, service } = await open()
    const alert = await queued()
    const [order] = (await service.approvals.list(USER, { status: 'pending' })).orders
    await service.approvals.reject(USER, order?.id ?? 0, USER)
    expect((await ask(alert, /^Approve #/)).text).toMatch(/is no longer pending: it is rejected/)
  })

  test.each([
    ['/kill', /^The kill switch is on/, (service: Rig['service']) => service.risk.killSwitch.on],
    ['/mode analyze', /^The mode is analyze/, (service: Rig['service']) => service.mode() === 'analyze'],
  ])('%s changes something only after its confirmation', async (command, done, isDone) => {
    const { edited, press, say, service } = await open()
    const question = await say(command)
    expect(question.text).toMatch(/Confirm within 60 seconds/)
    expect(isDone(service)).toBe(false)
    press(question, /^Yes/)
    expect(await edited(question)).toMatch(done)
    expect(isDone(service)).toBe(true)
  })

  test('/kill names the reserved runs, as the kill switch of a session does', async () => {
    const { edited, press, say, service } = await open()
    vi.spyOn(service.strategyRuns, 'reserved').mockReturnValue([{ runId: 5, strategyId: 2, reason: 'x' }])
    const question = await say('/kill')
    press(question, /^Yes/)
    expect(await edited(question)).toBe(
      'The kill switch is on: no new order is sent. Reserved, so nobody manages their positions: run 5 of strategy 2.',
    )
  })

  test('/closeall closes every position once, also while the kill switch is on', async () => {
    const { http, press, say, service, telegram } = await open()
    await quiet(service)
    for (const product of ['MIS', 'CNC'] as const)
      await http.desk.place({ symbol: 'SBIN', product, quantity: 10 })
    await service.risk.setKillSwitch(true, 'x', 'test')
    const question = await say('/closeall')
    expect(await http.desk.ledger()).toHaveLength(2)
    for (let time = 0; time < 3; time++) press(question, /^Yes/)
    const texts = () => telegram.edited.map(({ text }) => text)
    await eventually(() => texts().includes('All Open Positions Squared Off'), 'the positions are closed')
    await silence()
    expect(await http.desk.ledger()).toHaveLength(4)
    const { data } = await service.account.positionbook(USER)
    expect(data).toMatchObject([{ quantity: 0 }, { quantity: 0 }])
    expect((await say('/closeall')).text).toBe('There is no open position.')
    expect(await chatActs({ service })).toMatchObject([
      { act: 'position.close', outcome: 'done', actor: USER },
    ])
  })

  test.each([
    [
      'in semi-auto mode',
      (service: Rig['service']) => service.identity.apiKeys.setOrderMode(USER, 'semi_auto'),
      /semi-auto/i,
    ],
    [
      'after a change of the mode',
      (service: Rig['service']) => service.modeSwitch.set(true, 'test'),
      /The mode has changed since the question/,
    ],
  ])('/closeall closes nothing %s', async (_when, change, text) => {
    const { edited, http, press, say, service } = await open()
    await quiet(service)
    await http.desk.place({ symbol: 'SBIN', quantity: 10 })
    const question = await say('/closeall')
    await change(service)
    press(question, /^Yes/)
    expect(await edited(question)).toMatch(text)
    expect(await http.desk.ledger()).toHaveLength(1)
    expect(await chatActs({ service })).toMatchObject([{ act: 'position.close', outcome: 'refused' }])
  })

  test('/resume turns the kill switch off, and names the person', async () => {
    const { edited, http, press, say, service } = await open()
    await service.risk.setKillSwitch(true, 'x', 'test')
    const question = await say('/resume')
    press(question, /^Yes/)
    expect(await edited(question)).toBe('The kill switch is off.')
    expect(await http.desk.published('kill_switch')).toMatchObject([
      { engaged: false, by: 'asha (telegram 4711)' },
    ])
    await service.audit.flush()
    const credentials = { actor: USER, credential: 'chat', credentialId: `telegram ${CHAT}` }
    expect(await service.audit.list({ act: 'kill_switch', limit: 9 })).toMatchObject([
      { act: 'kill_switch.set', target: null, outcome: 'done', ...credentials },
    ])
  })

  test('that no button has does nothing', async () => {
    const { http, telegram } = await open()
    const all = ['ask:approve:99999', 'ask:approve:0', 'yes:short', 'ask:delete:1', '__proto__', '']
    for (const data of all) telegram.presses(CHAT, 1, data)
    await silence()
    expect(telegram.edited).toEqual([])
    expect(await http.desk.ledger()).toEqual([])
  })
})

describe('the audit trail', () => {
  const actor = { actor: USER, credentialId: 'telegram 4711' }

  test('has an approval from a chat, with the values before and after', async () => {
    const rig = await open()
    const question = await rig.ask(await rig.queued(), /^Approve #/)
    rig.press(question, /^Yes/)
    await rig.edited(question)
    expect(await chatActs(rig)).toEqual([
      {
        ...actor,
        act: 'approval.approve',
        outcome: 'done',
        code: null,
        target: expect.stringMatching(/^\d+$/),
        before: expect.objectContaining({ status: 'pending' }),
        after: expect.objectContaining({ status: 'approved', execution: 'done' }),
      },
    ])
  })

  test('has an act that was refused, and none for a question or a cancel', async () => {
    const rig = await open()
    const first = await rig.ask(await rig.queued(), /^Approve #/)
    rig.press(first, /^Cancel/)
    await rig.edited(first)
    expect(await chatActs(rig)).toEqual([])
    const question = await rig.say('/resume')
    await rig.service.modeSwitch.set(true, 'test')
    rig.press(question, /^Yes/)
    await rig.edited(question)
    expect(await chatActs(rig)).toMatchObject([
      { ...actor, act: 'kill_switch.set', outcome: 'refused', code: 'conflict' },
    ])
  })

  test('has the mode, the kill switch and the end of a link', async () => {
    const rig = await open()
    await quiet(rig.service)
    for (const command of ['/mode analyze', '/kill']) {
      const question = await rig.say(command)
      rig.press(question, /^Yes/)
      await rig.edited(question)
    }
    await rig.say('/unlink')
    expect(await chatActs(rig)).toMatchObject([
      { ...actor, act: 'mode.set', before: { mode: 'live' }, after: { mode: 'analyze' } },
      { ...actor, act: 'kill_switch.set', before: { on: false }, after: { on: true } },
      { ...actor, act: 'message.unlink', target: '4711', outcome: 'done' },
    ])
  })

  test('has a link by a code', async () => {
    const rig = await open()
    const { code } = rig.service.messages.codes.create(USER)
    await rig.say(`/link ${code}`, STRANGER)
    expect(await chatActs(rig)).toMatchObject([
      { actor: USER, credentialId: 'telegram 666', act: 'message.link', target: '666', outcome: 'done' },
    ])
  })

  test('that cannot take a note stops an act, but not the kill switch', async () => {
    const rig = await open()
    await quiet(rig.service)
    await rig.service.databases.svc.write((tx) =>
      tx.exec(`create trigger full before insert on audit_pending begin select raise(abort, 'no room'); end`),
    )
    for (const command of ['/mode analyze', '/kill']) {
      const question = await rig.say(command)
      rig.press(question, /^Yes/)
      await rig.edited(question)
    }
    expect([rig.service.mode(), rig.service.risk.killSwitch.on]).toEqual(['live', true])
  })
})

type Rig = Awaited<ReturnType<typeof open>>
