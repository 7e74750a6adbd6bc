import type { Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'

/** The options that choose acts, besides their time and text. */
export const ACT_OPTIONS: readonly OptionSpec[] = [
  { flags: '--actor <name>', summary: 'only acts of this user; svc is the service itself' },
  { flags: '--act <act>', summary: 'only this act, or a group: risk stands for risk.set, too' },
]

export function actFilter(input: Input) {
  return { actor: input.text('actor'), act: input.text('act') }
}
