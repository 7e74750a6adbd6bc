import type { Input } from '../../framework/command/command.js'
import { usageError } from '../../framework/errors.js'

export const CHANNEL_NAMES = ['telegram', 'whatsapp', 'email'] as const
type ChannelName = (typeof CHANNEL_NAMES)[number]

export const CHANNEL_ARGUMENT = {
  syntax: '<channel>',
  summary: 'telegram, whatsapp or email',
  choices: CHANNEL_NAMES,
}

/** Returns a channel that was typed as an argument. @throws CliError for any other word */
export function channelOf(given: string): ChannelName {
  const channel = CHANNEL_NAMES.find((name) => name === given)
  if (!channel) throw usageError(`There is no channel ${given}.`, `Channels: ${CHANNEL_NAMES.join(', ')}`)
  return channel
}

/** Returns the state of an option `on` or `off`; undefined if it is left out. */
export function switchOf(input: Input, option: string): boolean | undefined {
  const given = input.text(option)
  return given === undefined ? undefined : given === 'on'
}

/** Leaves out the fields that were not given. */
export function given<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<T>
}
