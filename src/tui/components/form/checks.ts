import { parseTimeOfDay } from '../../../core/time/index.js'

/** Returns a check for texts of at most so many characters. */
export function shorterThan(most: number): (text: string) => string | undefined {
  return (text) => (text.length <= most ? undefined : `at most ${most} characters`)
}

/** Returns a check for whole numbers in a range. */
export function wholeBetween(least: number, most: number): (text: string) => string | undefined {
  return (text) => {
    const isGood = /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most
    return isGood ? undefined : `a whole number from ${least} to ${most}`
  }
}

/** Returns the rule that a time of day breaks. */
export function timeProblem(text: string): string | undefined {
  return text.length === 5 && parseTimeOfDay(text) !== undefined ? undefined : 'a time: HH:MM'
}
