/** A button under a message. Its data comes back when somebody presses it. */
export interface ChatButton {
  text: string
  callback_data: string
}

/** The acts that a button can ask for. Pressing such a button only asks for a confirmation. */
export const ASKS = ['approve', 'reject', 'kill', 'resume', 'live', 'analyze', 'close'] as const
export type Ask = (typeof ASKS)[number]

/** The buttons under an order that waits for approval. */
export function approvalButtons(id: number): ChatButton[][] {
  return [
    [
      { text: `Approve #${id}`, callback_data: `ask:approve:${id}` },
      { text: `Reject #${id}`, callback_data: `ask:reject:${id}` },
    ],
  ]
}

/** The buttons of a confirmation. */
export function confirmButtons(token: string, yes: string): ChatButton[][] {
  return [
    [
      { text: yes, callback_data: `yes:${token}` },
      { text: 'Cancel', callback_data: `no:${token}` },
    ],
  ]
}

/** A pressed button: it asks for an act, or answers a confirmation. */
export type Press = { kind: 'ask'; ask: Ask; id: number } | { kind: 'yes' | 'no'; token: string }

/** Reads the data of a button; undefined for data that no button of this service has. */
export function pressOf(data: string): Press | undefined {
  const asked = /^ask:([a-z]{1,10}):(\d{1,15})$/.exec(data)
  const ask = ASKS.find((one) => one === asked?.[1])
  if (asked && ask) return { kind: 'ask', ask, id: Number(asked[2]) }
  const [, kind, token] = /^(yes|no):([\w-]{16,64})$/.exec(data) ?? []
  if (token === undefined) return undefined
  return { kind: kind === 'yes' ? 'yes' : 'no', token }
}
