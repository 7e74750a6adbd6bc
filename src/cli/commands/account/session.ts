import type { CommandSpec } from '../../framework/command.js'
import { EXIT } from '../../framework/exit-codes.js'

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the devices that are signed in, newest first.',
  examples: ['session list', 'session list -q'],
  async run(context) {
    const { body } = await context.read('GET /auth/active-sessions')
    const rows = body.sessions.map((row) => ({
      ...row,
      current: row.session_id === body.current_session_id,
    }))
    await context.out.list({
      rows,
      id: 'session_id',
      empty: 'No sessions.',
      columns: [
        { key: 'session_id', title: 'SESSION' },
        { key: 'current' },
        { key: 'ip_address', title: 'ADDRESS', leaves: 1 },
        { key: 'device_info', title: 'DEVICE', leaves: 2 },
        { key: 'login_time', title: 'SINCE', kind: 'time', leaves: 3 },
        { key: 'last_seen', title: 'LAST SEEN', kind: 'time', leaves: 1 },
      ],
    })
    return EXIT.done
  },
}

const revoke: CommandSpec = {
  name: 'revoke',
  summary: 'Signs a device out at once.',
  examples: ['session revoke 4f2a…', 'session revoke 4f2a… --yes'],
  arguments: [{ syntax: '<session-id>', summary: 'id from svc session list', complete: 'sessions' }],
  async run(context, input) {
    const id = input.required(0)
    await context.prompts.confirm(`Sign out session ${id}`)
    const { body } = await context.change('DELETE /auth/active-sessions/:id', { params: { id } })
    await context.out.acted(body, `Session ${id} is signed out.`)
    return EXIT.done
  },
}

export const session: CommandSpec = {
  name: 'session',
  summary: 'Devices that are signed in.',
  examples: ['session list', 'session revoke 4f2a…'],
  verbs: [list, revoke],
}
