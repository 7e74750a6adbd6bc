import { createContext, useContext } from 'react'

/** The meaning of a colour. A word always says the same, because a terminal may have no colours. */
export type Tone = 'good' | 'danger' | 'warning' | 'accent' | 'muted'

/** The colours of the tones, of the sixteen that every terminal has. */
export const THEMES = {
  dark: { good: 'green', danger: 'red', warning: 'yellow', accent: 'cyan', muted: 'gray' },
  // Yellow and cyan cannot be read on white.
  light: { good: 'green', danger: 'red', warning: 'magenta', accent: 'blue', muted: 'gray' },
  'high-contrast': {
    good: 'greenBright',
    danger: 'redBright',
    warning: 'yellowBright',
    accent: 'cyanBright',
    muted: 'white',
  },
} as const satisfies Record<string, Record<Tone, string>>

export type ThemeName = keyof typeof THEMES

export interface Theme {
  /** False with NO_COLOR or `--no-color`. */
  colours: boolean
  /** True when times are shown in UTC. */
  utc: boolean
  name: ThemeName
}

export const ThemeContext = createContext<Theme>({ colours: false, utc: false, name: 'dark' })

/** Returns the colour of a tone as a property of `Text`; none without colours. */
export function useTone(): (tone: Tone | undefined) => { color?: string } {
  const { colours, name } = useContext(ThemeContext)
  return (tone) => (colours && tone !== undefined ? { color: THEMES[name][tone] } : {})
}

/** Returns the tone of a profit or a loss, whose sign says the same. */
export function signedTone(value: number): Tone | undefined {
  if (value === 0) return undefined
  return value > 0 ? 'good' : 'danger'
}
