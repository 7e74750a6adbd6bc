import type { AnyBinding } from '../../src/tui/keys/bindings.js'
import { SHELL_KEYS } from '../../src/tui/shell/keys.js'
import { SCREENS } from '../../src/tui/shell/screens.js'
import { code, table } from './table.js'

/** Returns the key tables of the terminal program: the tables that handle the keys. */
export function tuiKeys(): string {
  const screens = SCREENS.map(({ title, keys }) => section(title, keys.filter(isOfItsOwn)))
  return [section('Every screen', [...SHELL_KEYS, ...listKeys()]), ...screens].join('\n\n')
}

const isOfItsOwn = ({ id }: AnyBinding) => !id.startsWith('list.')

/** The keys of lists are the same on every screen. */
function listKeys(): readonly AnyBinding[] {
  const all = SCREENS.flatMap(({ keys }) => keys).filter((one) => !isOfItsOwn(one))
  return [...new Map(all.map((binding) => [binding.id, binding])).values()]
}

function section(title: string, bindings: readonly AnyBinding[]): string {
  const acts = new Map(bindings.map((binding) => [binding.id, binding]))
  const rows = [...acts.values()].map(({ id, keys, explained, does, command }) => [
    ...[
      keys.map(code).join(' '),
      explained ?? does ?? '',
      command === undefined ? '' : code(command),
      code(id),
    ],
  ])
  return `### ${title}\n\n${table(['Key', 'Does', 'Command', 'Act'], rows)}`
}
