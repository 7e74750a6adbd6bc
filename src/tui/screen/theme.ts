import { createContext, useContext } from 'react'

/** The meaning of a colour. Each tone is also told by a word, because a terminal may have no colours. */
export type Tone = 'green' | 'red' | 'yellow' | 'cyan'

export interface Theme {
  /** False with NO_COLOR or `--no-color`. */
  colours: boolean
  /** True when times are shown in UTC. */
  utc: boolean
}

export const ThemeContext = createContext<Theme>({ colours: false, utc: false })

/** Returns the colour of a tone as a property of `Text`; none without colours. */
export function useTone(): (tone: Tone | undefined) => { color?: Tone } {
  const { colours } = useContext(ThemeContext)
  return (tone) => (colours && tone !== undefined ? { color: tone } : {})
}
