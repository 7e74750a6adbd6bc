import { useInput } from 'ink'
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react'
import { type KeyHandler, KeyRouter, type Level } from './router.js'

/** The keys that the user's own file gives to acts, by the id of the act. */
export type KeyMap = ReadonlyMap<string, readonly string[]>

interface Keys {
  router: KeyRouter
  map: KeyMap
}

const KeysContext = createContext<Keys>({ router: new KeyRouter(rethrown), map: new Map() })

interface KeysProviderProps {
  map?: KeyMap
  /** Called with the error of a key. */
  onFault?(thrown: unknown): void
  children: ReactNode
}

/** Reads the keyboard for all parts of a program. */
export function KeysProvider({ map = new Map(), onFault = rethrown, children }: KeysProviderProps) {
  const [keys] = useState(() => ({ router: new KeyRouter(onFault), map }))
  useInput((input, key) => keys.router.take(input, key))
  return <KeysContext.Provider value={keys}>{children}</KeysContext.Provider>
}

/** Returns the keys that the user's own file gives to acts. */
export const useKeyMap = (): KeyMap => useContext(KeysContext).map

/** Handles the presses of a layer while mounted, always with the handler that was drawn last. */
export function useKeyLayer(level: Level, handler: KeyHandler): void {
  const { router } = useContext(KeysContext)
  const drawn = useRef(handler)
  drawn.current = handler
  useLayoutEffect(() => router.add(level, (press) => drawn.current(press)), [router, level])
}

function rethrown(thrown: unknown): never {
  throw thrown
}
