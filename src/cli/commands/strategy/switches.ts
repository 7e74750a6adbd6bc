import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, STRATEGY } from './find.js'

const seen = (id: string) => ({ followUp: `See the strategy: svc strategy show ${id}` })

export const live: CommandSpec = {
  name: 'live',
  summary: 'Allows or forbids live runs of a strategy.',
  examples: ['strategy live 1 on', 'strategy live morning-straddle off'],
  details:
    'Only the owner does this; a webhook or an API key cannot. `on` asks, and needs --yes in a script. ' +
    asksAgain('`on`'),
  arguments: [
    STRATEGY,
    { syntax: '<state>', summary: 'whether live runs are allowed', choices: ['on', 'off'] },
  ],
  async run(context, input) {
    const [word, enabled] = [input.required(0), input.required(1) === 'on']
    const id = await findId(context, word)
    if (enabled) await context.prompts.confirm(`Let strategy ${word} send live orders`)
    const route = 'POST /strategy/api/strategies/:id/live'
    const { body } = await context.change(route, { params: { id }, body: { enabled } }, seen(id))
    const state = body.live_enabled ? 'allowed' : 'forbidden'
    await context.out.acted({ id: Number(id), ...body }, `Live runs of strategy ${word} are ${state}.`)
    return EXIT.done
  },
}

export const lock: CommandSpec = {
  name: 'lock',
  summary: 'Kill switch of one strategy: locks its webhook, then stops its run.',
  examples: ['strategy lock 1', 'strategy lock morning-straddle'],
  arguments: [STRATEGY],
  async run(context, input) {
    const id = await findId(context, input.required(0))
    const route = 'POST /strategy/api/strategies/:id/kill_switch'
    const { body } = await context.change(route, { params: { id } }, seen(id))
    await context.out.acted({ id: Number(id), ...body }, `${body.message}.`)
    if (body.stop_pending) context.out.note(`Exits are pending: svc strategy events ${id}`)
    return EXIT.done
  },
}

export const unlock: CommandSpec = {
  name: 'unlock',
  summary: 'Unlocks the webhook of a strategy.',
  examples: ['strategy unlock 1'],
  arguments: [STRATEGY],
  async run(context, input) {
    const id = await findId(context, input.required(0))
    const route = 'POST /strategy/api/strategies/:id/unlock_webhook'
    const { body } = await context.change(route, { params: { id } }, seen(id))
    await context.out.acted({ id: Number(id), ...body }, `${body.message}.`)
    return EXIT.done
  },
}

const rotate: CommandSpec = {
  name: 'rotate',
  summary: 'Creates a new webhook token, shown only once. The old one stops working at once.',
  examples: ['strategy token rotate 1', 'strategy token rotate 1 --yes -q'],
  arguments: [STRATEGY],
  async run(context, input) {
    const word = input.required(0)
    const id = await findId(context, word)
    await context.prompts.confirm(`Replace the webhook token of strategy ${word}`)
    const route = 'POST /strategy/api/strategies/:id/webhook/rotate'
    const { body } = await context.change(
      route,
      { params: { id } },
      {
        followUp: `Without the new token, rotate again: svc strategy token rotate ${id}`,
      },
    )
    await context.out.record({
      record: { id: Number(id), webhook_token: body.webhook_token },
      fields: [{ key: 'id' }, { key: 'webhook_token', title: 'WEBHOOK TOKEN' }],
      id: 'webhook_token',
    })
    context.out.note(body.message)
    return EXIT.done
  },
}

export const token: CommandSpec = {
  name: 'token',
  summary: 'The webhook token of a strategy.',
  examples: ['strategy token rotate 1'],
  verbs: [rotate],
}
