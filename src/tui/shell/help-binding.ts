import type { Binding } from '../keys/bindings.js'

/** The key that shows all keys: the last line of every screen names it. */
export const HELP: Omit<Binding<'any', never>, 'act'> = {
  id: 'shell.help',
  in: ['any'],
  keys: ['?'],
  explained: 'all keys',
}
