import { createContext, useContext } from 'react'
import type { CommandAccess } from './access.js'

const CommandsContext = createContext<CommandAccess | undefined>(undefined)

export const CommandsProvider = CommandsContext.Provider

/** Returns the commands of `svc`. */
export function useCommands(): CommandAccess {
  const commands = useContext(CommandsContext)
  if (commands === undefined) throw new Error('No commands around this part of the screen')
  return commands
}
